import Bluejay
import BluejayDBus
import Foundation
import Testing

@testable import BluejayGATTServer

@Suite("Asynchronous handlers", .timeLimit(.minutes(15)))
struct AsyncHandlerTests {
    private static let uuid = BluetoothUUID(uint16: 0x2A37)
    private static let path = "service0/char0"

    private actor Store {
        private(set) var values: [[UInt8]] = []
        func add(_ value: [UInt8]) { values.append(value) }
    }

    @Test("Asynchronous handlers respond in request order, however long the first takes")
    func order() async throws {
        try await ServerStage.withServer { stage in
            let store = Store()
            let (gate, open) = AsyncStream<Void>.makeStream()
            await stage.publish { stage in
                LocalCharacteristic(
                    uuid: Self.uuid,
                    properties: [.read, .write],
                    onRead: { request in
                        request.respond(with: Data(await store.values.last ?? []))
                    },
                    onWrite: { request in
                        if request.value == Data([1]) {
                            stage.loop.post { stage.note("first") }
                            for await _ in gate {}
                        }
                        await store.add([UInt8](request.value))
                        request.accept()
                    }
                )
            }
            async let first = stage.write(Self.path, [1])
            await stage.wait(for: "first")
            async let second = stage.write(Self.path, [2])
            open.finish()
            #expect(await first == nil)
            #expect(await second == nil)
            #expect(await stage.read(Self.path) == .success([2]))
            #expect(await store.values == [[1], [2]])
        }
    }

    @Test("With an asynchronous write handler only, reads return the value")
    func writesOnly() async throws {
        try await ServerStage.withServer { stage in
            let store = Store()
            await stage.publish { _ in
                LocalCharacteristic(
                    uuid: Self.uuid,
                    properties: [.read, .write],
                    onWrite: { request in
                        await store.add([UInt8](request.value))
                        request.reject(ATTError(code: 0x81))
                    }
                )
            }
            let failed = BusError(name: "org.bluez.Error.Failed", message: "0x81")
            #expect(await stage.write(Self.path, [9]) == failed)
            #expect(await stage.read(Self.path) == .success([]))
            #expect(await store.values == [[9]])
        }
    }
}
