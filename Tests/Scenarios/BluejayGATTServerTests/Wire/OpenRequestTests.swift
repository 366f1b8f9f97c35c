import Bluejay
import BluejayBlueZ
import BluejayDBus
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import BluejayGATTServer

@Suite("Requests that end before their response", .timeLimit(.minutes(15)))
struct OpenRequestTests {
    private static let uuid = BluetoothUUID(uint16: 0x2A37)
    private static let path = "service0/char0"
    private static let unlikely = ATTErrorReply.error(.unlikelyError)

    private actor Store {
        private(set) var values: [[UInt8]] = []
        func add(_ value: Data) { values.append([UInt8](value)) }
    }

    /// A characteristic whose first write waits for `gate`; it applies only writes that are still valid.
    private static func slow(
        _ stage: ServerStage,
        _ store: Store,
        _ gate: AsyncStream<Void>,
        _ properties: AttributeProperties = .write
    ) -> LocalCharacteristic {
        LocalCharacteristic(
            uuid: uuid,
            properties: properties,
            onWrite: { request in
                let value = [UInt8](request.value)
                stage.loop.post { stage.note("handles \(value)") }
                if value == [1] { for await _ in gate {} }
                if request.acceptIfWaiting() { await store.add(request.value) }
            }
        )
    }

    @Test("A write that timed out is neither applied nor passed to its handler later")
    func timeLimit() async throws {
        try await ServerStage.withServer { stage in
            let store = Store()
            let (gate, open) = AsyncStream<Void>.makeStream()
            await stage.publish { Self.slow($0, store, gate) }
            async let first = stage.write(Self.path, [1])
            await stage.wait(for: "handles [1]")
            async let second = stage.write(Self.path, [2])
            // The second request must reach the loop before time passes.
            try await stage.waitForRequests(2)
            await stage.run { $0.clock.advance(by: .milliseconds(900)) }
            #expect(await first == Self.unlikely)
            #expect(await second == Self.unlikely)
            open.finish()
            #expect(await stage.write(Self.path, [3]) == nil)
            #expect(await store.values == [[3]])
            let journal = await stage.wait(for: "handles [3]")
            #expect(journal == ["handles [3]"])
        }
    }

    @Test(
        "A request ends when its central disconnects, and frees its place",
        .fault(.linkLost, during: .servedRead)
    )
    func centralLeft() async throws {
        try await ServerStage.withServer { stage in
            await stage.run { $0.daemon?.setConnected(true) }
            await stage.wait(for: "phone connected")
            await stage.publish { stage in
                LocalCharacteristic(
                    uuid: Self.uuid,
                    properties: .read,
                    onRead: { request in
                        stage.kept.append(request)
                        stage.note("asked, over: \(request.isOver)")
                    }
                )
            }
            async let answer = stage.read(Self.path)
            await stage.wait(for: "asked, over: false")
            await stage.run { $0.daemon?.setConnected(false) }
            #expect(await answer == .failure(Self.unlikely))
            #expect(await stage.run { $0.kept.map(\.isOver) } == [true])
            #expect(await stage.requestCount == 0)
        }
    }

    @Test("A write without response outlives its timeout and its central")
    func withoutResponse() async throws {
        try await ServerStage.withServer { stage in
            await stage.run { $0.daemon?.setConnected(true) }
            await stage.wait(for: "phone connected")
            let store = Store()
            let (gate, open) = AsyncStream<Void>.makeStream()
            await stage.publish { Self.slow($0, store, gate, [.write, .writeWithoutResponse]) }
            async let first = stage.write(Self.path, [1])
            await stage.wait(for: "handles [1]")
            async let second = stage.write(Self.path, [2])
            try await stage.waitForRequests(2)
            await stage.run { stage in
                stage.clock.advance(by: .seconds(60))
                stage.daemon?.setConnected(false)
            }
            await stage.wait(for: "phone disconnected")
            open.finish()
            #expect(await first == nil)
            #expect(await second == nil)
            #expect(await Set(store.values) == [[1], [2]])
        }
    }

    @Test("At most 256 requests wait, and further ones are rejected immediately")
    func bounded() async throws {
        try await ServerStage.withServer { stage in
            let store = Store()
            let (gate, open) = AsyncStream<Void>.makeStream()
            await stage.publish { Self.slow($0, store, gate) }
            let calls = 0..<300 as Range<Int>
            let refused = try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask { await stage.write(Self.path, [1]) != nil }
                await stage.wait(for: "handles [1]")
                for number in calls {
                    let central = ObjectPath("/org/bluez/hci0/dev_C4_7C_8D_6A_2F_0\(number / 60)")
                    let options = ServerStage.options(of: try #require(central))
                    let arguments: [BusValue] = [.bytes([2]), options]
                    group.addTask {
                        await stage.call(Self.path, "WriteValue", arguments)
                            == .failure(Self.unlikely)
                    }
                }
                // The others are answered only after the first.
                for _ in 0..<300 - SerialHandlerQueue.maximumRequestCount {
                    #expect(try await group.next() == true)
                }
                #expect(await stage.run { $0.server?.rejectedRequestCount } == 44)
                open.finish()
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(refused == 0)
            #expect(await store.values.count == 1 + SerialHandlerQueue.maximumRequestCount)
        }
    }

    @Test("256 requests wait for a slow actor, which skips those that have ended")
    func slowActor() async throws {
        try await ServerStage.withServer { stage in
            let desk = Desk()
            let characteristic = await desk.characteristic(Self.uuid)
            await stage.publish { _ in characteristic }
            #expect(await stage.write(Self.path, [1]) == nil)
            desk.executor.hold()
            for round in 0..<6 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<60 {
                        let central = ObjectPath("/org/bluez/hci0/dev_C4_7C_8D_6A_2F_0\(round)")
                        let options = ServerStage.options(of: try #require(central))
                        let arguments: [BusValue] = [.bytes([2, UInt8(number)]), options]
                        group.addTask {
                            let answer = await stage.call(Self.path, "WriteValue", arguments)
                            #expect(answer == .failure(Self.unlikely))
                        }
                    }
                    try await stage.waitForRequests(round < 4 ? 60 : round == 4 ? 16 : 0)
                    await stage.run { $0.clock.advance(by: .milliseconds(900)) }
                    try await group.waitForAll()
                }
            }
            #expect(await stage.run { $0.server?.rejectedRequestCount } == 360 - 256)
            desk.executor.resume()
            // There is room again when half of the requests were skipped.
            try await TestSupport.wait { await stage.write(Self.path, [3]) == nil }
            #expect(await desk.values == [[1], [3]])
        }
    }
}

/// An actor that serves a characteristic.
private actor Desk {
    nonisolated let executor = HeldExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.unowned }
    private(set) var values: [[UInt8]] = []

    func characteristic(_ uuid: BluetoothUUID) -> LocalCharacteristic {
        LocalCharacteristic(
            uuid: uuid,
            properties: .write,
            onWrite: { request in
                self.values.append([UInt8](request.value))
                request.accept()
            }
        )
    }
}

extension ServerStage {
    fileprivate var requestCount: Int {
        get async { await run { $0.server?.instance.publisher.requests.count ?? 0 } }
    }

    /// Waits until `count` requests wait for the program.
    // The server has no callback for the arrival of a request, so poll every 2 ms.
    fileprivate func waitForRequests(_ count: Int) async throws {
        for _ in 0..<5_000 {
            if await requestCount == count { return }
            try await Task.sleep(for: .milliseconds(2))
        }
        Issue.record("\(count) requests did not arrive")
    }
}
