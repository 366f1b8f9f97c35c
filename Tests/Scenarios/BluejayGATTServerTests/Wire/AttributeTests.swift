import Bluejay
import BluejayBlueZ
import BluejayDBus
import Foundation
import TestSupport
import Testing

@testable import BluejayGATTServer

/// Tests `AttributeRequestHandler` and `CharacteristicRequestHandler`.
@Suite("Reads, writes and notifications on the bus", .timeLimit(.minutes(15)))
struct AttributeTests {
    static let uuid = BluetoothUUID(uint16: 0x2A37)
    static let path = "service0/char0"

    // MARK: Reads

    @Test("A stored value is read from an offset, and not past its end")
    func held() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish { _ in
                LocalCharacteristic(uuid: Self.uuid, properties: .read, value: Data([1, 2, 3]))
            }
            #expect(await stage.read(Self.path) == .success([1, 2, 3]))
            #expect(await stage.read(Self.path, offset: 2) == .success([3]))
            #expect(await stage.read(Self.path, offset: 3) == .success([]))
            let refused = ATTErrorReply.error(.invalidOffset)
            #expect(await stage.read(Self.path, offset: 4) == .failure(refused))
        }
    }

    @Test("A read handler receives the central, and the parts of a long read return one value")
    func handler() async throws {
        try await ServerStage.withServer { stage in
            await stage.run { $0.daemon?.setConnected(true) }
            await stage.wait(for: "phone connected")
            await stage.publish { stage in
                var number: UInt8 = 0
                return LocalCharacteristic(
                    uuid: Self.uuid,
                    properties: .read,
                    onRead: { request in
                        number += 1
                        let central = request.central?.address ?? "unknown"
                        stage.note("read \(number): \(central) \(request.mtu ?? 0)")
                        request.respond(with: Data(repeating: number, count: 40))
                    }
                )
            }
            #expect(await stage.read(Self.path) == .success(Array(repeating: 1, count: 40)))
            #expect(
                await stage.read(Self.path, offset: 22) == .success(Array(repeating: 1, count: 18))
            )
            #expect(await stage.read(Self.path) == .success(Array(repeating: 2, count: 40)))
            let journal = await stage.wait(for: "read 2: C4:7C:8D:6A:1F:02 23")
            #expect(journal.first == "read 1: C4:7C:8D:6A:1F:02 23")
        }
    }

    @Test("Requests carry the central's current name")
    func renamed() async throws {
        try await ServerStage.withServer { stage in
            await stage.run { $0.daemon?.setConnected(true) }
            await stage.publish { stage in
                LocalCharacteristic(
                    uuid: Self.uuid,
                    properties: .read,
                    onRead: { request in
                        stage.note("read by \(request.central?.name ?? "unknown")")
                        request.respond(with: Data())
                    }
                )
            }
            for name in ["phone", "watch"] {
                await stage.run { $0.daemon?.renameCentral(name) }
                #expect(await stage.read(Self.path) == .success([]))
                await stage.wait(for: "read by \(name)")
            }
        }
    }

    @Test(
        "A read without a response fails after 0.9 s, and a later response is ignored"
    )
    func late() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish { stage in
                LocalCharacteristic(
                    uuid: Self.uuid,
                    properties: .read,
                    onRead: { request in
                        stage.kept.append(request)
                        stage.note("asked")
                    }
                )
            }
            async let answer = stage.read(Self.path)
            await stage.wait(for: "asked")
            await stage.run { $0.clock.advance(by: .milliseconds(900)) }
            #expect(await answer == .failure(ATTErrorReply.error(.unlikelyError)))
            await stage.run { $0.kept.first?.respond(with: Data([1])) }
            // The next request is answered in time, but not at once.
            async let second = stage.read(Self.path)
            await stage.wait(for: "asked")
            await stage.run { stage in
                stage.clock.advance(by: .milliseconds(800))
                stage.kept.last?.respond(with: Data([7]))
            }
            #expect(await second == .success([7]))
        }
    }

    @Test(
        "The response timeout of characteristics and descriptors is at most 4.5 s",
        arguments: ["", "/desc0"]
    )
    func longerAnswers(path: String) async throws {
        try await ServerStage.withServer { stage in
            await stage.publish { stage in
                let onRead: (ReadRequest) -> Void = { request in
                    stage.kept.append(request)
                    stage.note("asked")
                }
                let descriptor = LocalDescriptor(
                    uuid: BluetoothUUID(uint16: 0x2901),
                    properties: .read,
                    onRead: onRead
                )
                descriptor.responseTimeout = .seconds(60)
                let characteristic = LocalCharacteristic(
                    uuid: Self.uuid,
                    properties: .read,
                    descriptors: [descriptor],
                    onRead: onRead
                )
                characteristic.responseTimeout = .seconds(60)
                return characteristic
            }
            async let answer = stage.read(Self.path + path)
            await stage.wait(for: "asked")
            await stage.run { stage in
                stage.clock.advance(by: .milliseconds(4_499))
                stage.kept.last?.respond(with: Data([7]))
            }
            #expect(await answer == .success([7]))
            async let late = stage.read(Self.path + path)
            await stage.wait(for: "asked")
            await stage.run { $0.clock.advance(by: .milliseconds(4_500)) }
            #expect(await late == .failure(ATTErrorReply.error(.unlikelyError)))
        }
    }

    @Test("A read that is dropped, rejected or answered with 513 bytes fails immediately")
    func refused() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish { _ in
                var isFirst = true
                return LocalCharacteristic(
                    uuid: Self.uuid,
                    properties: .read,
                    descriptors: [
                        LocalDescriptor(
                            uuid: BluetoothUUID(uint16: 0x2901),
                            properties: .read,
                            onRead: { $0.respond(with: Data(count: 513)) }
                        )
                    ],
                    onRead: { request in
                        defer { isFirst = false }
                        if isFirst { request.reject(ATTError(code: 0x81)) }
                    }
                )
            }
            let failed = BusError(name: "org.bluez.Error.Failed", message: "0x81")
            let unlikely = ATTErrorReply.error(.unlikelyError)
            #expect(await stage.read(Self.path) == .failure(failed))
            #expect(await stage.read(Self.path) == .failure(unlikely))
            #expect(await stage.read(Self.path + "/desc0") == .failure(unlikely))
        }
    }

    actor Store {
        private(set) var value: [UInt8] = [4]
        func set(_ value: [UInt8]) { self.value = value }
    }

    @Test("A task can answer a request or drop it")
    func fromTask() async throws {
        try await ServerStage.withServer { stage in
            let store = Store()
            await stage.publish { _ in
                LocalCharacteristic(
                    uuid: Self.uuid,
                    properties: [.read, .write],
                    onRead: { request in
                        Task {
                            let value = await store.value
                            if !value.isEmpty { request.respond(with: Data(value)) }
                        }
                    },
                    onWrite: { request in
                        Task {
                            await store.set([UInt8](request.value))
                            request.accept()
                            // Only the first answer counts.
                            request.reject(.unlikelyError)
                        }
                    }
                )
            }
            #expect(await stage.read(Self.path) == .success([4]))
            // Repeated, because the task may end before its request's handler does.
            for number in 1...100 as ClosedRange<UInt8> {
                #expect(await stage.write(Self.path, [number]) == nil)
                #expect(await stage.read(Self.path) == .success([number]))
            }
            #expect(await stage.write(Self.path, []) == nil)
            // The clock stands still, so no time passes.
            let unlikely = ATTErrorReply.error(.unlikelyError)
            #expect(await stage.read(Self.path) == .failure(unlikely))
        }
    }

    // MARK: Writes

    @Test("Writes replace a stored value, and an authorization request changes nothing")
    func writes() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish { _ in
                LocalCharacteristic(
                    uuid: Self.uuid,
                    properties: [.read, .write],
                    descriptors: [
                        LocalDescriptor(
                            uuid: BluetoothUUID(uint16: 0x2901),
                            properties: [.read, .write],
                            value: Data()
                        )
                    ]
                )
            }
            #expect(await stage.write(Self.path, [1, 2, 3]) == nil)
            #expect(await stage.write(Self.path, [9, 9], isQuestion: true) == nil)
            #expect(await stage.write(Self.path, [4], offset: 2) == nil)
            #expect(
                await stage.write(Self.path, [4], offset: 4) == ATTErrorReply.error(.invalidOffset)
            )
            #expect(await stage.read(Self.path) == .success([1, 2, 4]))
            #expect(await stage.write(Self.path + "/desc0", [5]) == nil)
            #expect(await stage.read(Self.path + "/desc0") == .success([5]))
        }
    }

    @Test("An offset of another type is rejected, and an invalid MTU is ignored")
    func strangeOptions() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish { stage in
                LocalCharacteristic(
                    uuid: Self.uuid,
                    properties: [.read, .write],
                    onRead: { request in
                        stage.note("read at \(request.offset), \(request.mtu ?? 0)")
                        request.respond(with: Data([1]))
                    },
                    onWrite: { request in
                        stage.note("written at \(request.offset), \(request.mtu ?? 0)")
                        request.accept()
                    }
                )
            }
            let refused = ATTErrorReply.error(.invalidOffset)
            let offsets: [BusValue] = [
                .int64(.max), .int64(.min), .int64(2), .uint32(1), .string(""),
            ]
            for offset in offsets {
                let options = BusValue.properties([("offset", offset)])
                let read = await stage.call(Self.path, "ReadValue", [options])
                #expect(read == .failure(refused), "\(offset)")
                let write = await stage.call(Self.path, "WriteValue", [.bytes([1]), options])
                #expect(write == .failure(refused), "\(offset)")
            }
            let mtus: [BusValue] = [
                .int64(.max), .int64(.min), .uint16(0), .uint16(22), .uint32(517), .uint16(23),
            ]
            for mtu in mtus {
                let options = BusValue.properties([("mtu", mtu)])
                _ = await stage.call(Self.path, "ReadValue", [options])
                _ = await stage.call(Self.path, "WriteValue", [.bytes([1]), options])
            }
            let journal = await stage.wait(for: "written at 0, 23")
            let both = [0, 0, 0, 0, 0, 23].flatMap { ["read at 0, \($0)", "written at 0, \($0)"] }
            #expect(journal == both)
        }
    }

    @Test("A write handler accepts or rejects each write")
    func writeHandler() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish { stage in
                LocalCharacteristic(
                    uuid: Self.uuid,
                    properties: .write,
                    onWrite: { request in
                        let bytes = [UInt8](request.value)
                        stage.note(
                            "\(bytes) at \(request.offset)\(request.isPrepareAuthorization ? "?" : "")"
                        )
                        bytes.isEmpty
                            ? request.reject(.invalidAttributeValueLength) : request.accept()
                    }
                )
            }
            #expect(await stage.write(Self.path, [1]) == nil)
            #expect(await stage.write(Self.path, [2], offset: 7, isQuestion: true) == nil)
            let refused = ATTErrorReply.error(.invalidAttributeValueLength)
            #expect(await stage.write(Self.path, []) == refused)
            let journal = await stage.wait(for: "[] at 0")
            #expect(journal == ["[1] at 0", "[2] at 7?", "[] at 0"])
        }
    }

    // MARK: Notifications

    static func notify(_ bytes: [UInt8]) -> @Sendable (ServerStage) -> Bool? {
        { stage in
            guard let characteristic = stage.characteristic else { return nil }
            return try? stage.server?.notify(Data(bytes), on: characteristic)
        }
    }

    @Test("Values, including empty ones, are sent while a central is subscribed")
    func notifications() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish(PublishingTests.plain)
            #expect(await stage.run(Self.notify([1])) == false)
            _ = await stage.call(Self.path, "StartNotify")
            await stage.wait(for: "subscribed")
            #expect(await stage.run(Self.notify([2])) == true)
            #expect(await stage.run(Self.notify([])) == true)
            #expect(await stage.wait(for: "value []") == ["value [2]", "value []"])
            #expect(await stage.run(Self.notify([3, 4])) == true)
            #expect(await stage.read(Self.path) == .success([3, 4]))
            _ = await stage.call(Self.path, "StopNotify")
            await stage.wait(for: "unsubscribed")
            #expect(await stage.run(Self.notify([5])) == false)
        }
    }

    @Test("Values that cannot be sent throw an error")
    func notSent() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish { _ in
                LocalCharacteristic(uuid: Self.uuid, properties: [.read, .indicate])
            }
            await stage.run { stage in
                guard let server = stage.server, let published = stage.characteristic else {
                    Issue.record("nothing is published")
                    return
                }
                #expect(throws: BluejayError.valueTooLong(length: 513, limit: 512)) {
                    try server.notify(Data(count: 513), on: published)
                }
                let silent = LocalCharacteristic(uuid: Self.uuid, properties: .read)
                #expect(throws: BluejayError.notSubscribable(Self.uuid)) {
                    try server.notify(Data(), on: silent)
                }
                let stray = LocalCharacteristic(uuid: Self.uuid, properties: .notify)
                #expect(throws: BluejayError.notAdded(Self.uuid)) {
                    try server.notify(Data(), on: stray)
                }
            }
        }
    }

    @Test("A confirmed indication is reported")
    func confirm() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish { stage in
                let characteristic = LocalCharacteristic(uuid: Self.uuid, properties: .indicate)
                characteristic.onConfirm = { stage.note("confirmed") }
                return characteristic
            }
            _ = await stage.call(Self.path, "Confirm")
            await stage.wait(for: "confirmed")
        }
    }

    @Test("The last central's disconnection ends the subscriptions even without StopNotify")
    func leaving() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish(PublishingTests.plain)
            await stage.run { $0.daemon?.setConnected(true) }
            _ = await stage.call(Self.path, "StartNotify")
            await stage.run { $0.daemon?.setConnected(false) }
            let journal = await stage.wait(for: "phone disconnected")
            #expect(
                journal == ["phone connected", "subscribed", "unsubscribed", "phone disconnected"]
            )
            // A bonded central is subscribed as soon as it reconnects.
            await stage.run { $0.daemon?.setConnected(true) }
            await stage.wait(for: "subscribed")
        }
    }
}
