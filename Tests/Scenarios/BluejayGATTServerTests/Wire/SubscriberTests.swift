import Bluejay
import BluejayDBus
import Foundation
import TestSupport
import Testing

@testable import BluejayGATTServer

/// Tests `SubscriberList`.
@Suite("Individual subscribers", .timeLimit(.minutes(15)))
struct SubscriberTests {
    static let phone = FakeDaemon.central
    static let tablet = FakeDaemon.secondCentral

    @Test(
        "Unicast requires BlueZ 5.76, and an unknown version counts as the oldest",
        arguments: [
            (nil, NotificationAddressing.broadcast), ("usb:v1D6Bp0246d0537", .broadcast),
            ("usb:v1D6Bp0246d0542", .broadcast), ("usb:v1D6Bp0246d054B", .broadcast),
            ("usb:v1D6Bp0246d054C", .unicast), ("usb:v1D6Bp0246d0556", .unicast),
            ("usb:v1234p5678d0556", .broadcast), ("5.86", .broadcast), ("", .broadcast),
        ] as [(String?, NotificationAddressing)]
    )
    func addressing(modalias: String?, addressing: NotificationAddressing) async throws {
        try await ServerStage.withServer { stage in
            let server = try #require(await stage.run { $0.server })
            if let modalias {
                await stage.run { $0.daemon?.setModalias(modalias) }
            }
            await stage.publish(PublishingTests.plain)
            #expect(server.addressing == addressing)
        }
    }

    @Test("Characteristics offer to acquire notifications, but not writes")
    func tree() async throws {
        try await ServerStage.withSubscribers { stage in
            let content = await stage.run { $0.daemon?.applications.values.first?.content }
            let entries = try #require(content?.entries)
            let properties = try #require(
                entries[1].value.namedValues?["org.bluez.GattCharacteristic1"]?.namedValues
            )
            #expect(properties["NotifyAcquired"] == .boolean(false))
            #expect(properties["WriteAcquired"] == nil)
        }
    }

    @Test("A unicast value reaches one central, and broadcasts reach each in order")
    func unicast() async throws {
        try await ServerStage.withSubscribers { stage in
            let (phone, tablet) = await stage.two()
            await stage.run { stage in
                phone?.read()
                tablet?.read()
                #expect(stage.notify([1], to: "tablet") == nil)
                #expect(AttributeTests.notify([2])(stage) == true)
                #expect(stage.notify([3], to: "phone") == nil)
                #expect(AttributeTests.notify([4])(stage) == true)
            }
            let journal = await stage.wait(for: "tablet [4]")
            if !journal.contains("phone [4]") { await stage.wait(for: "phone [4]") }
            let heard = await stage.run { _ in [phone?.packets, tablet?.packets] }
            #expect(heard == [[[2], [3], [4]], [[1], [2], [4]]])
            #expect(await stage.run { $0.characteristic?.value } == Data([4]))
        }
    }

    @Test("A subscriber is reported with its MTU, which a later request may increase")
    func subscribers() async throws {
        try await ServerStage.withSubscribers { stage in
            await stage.connect(Self.phone)
            let socket = await stage.subscribe(Self.phone, mtu: 23)
            let journal = await stage.wait(for: #"subscribers ["phone"]"#)
            #expect(journal == ["subscribed", #"subscribers ["phone"]"#])
            let first = await stage.run { $0.characteristic?.subscribers.first }
            #expect(first?.maximumValueLength == 20)
            #expect(first?.central.name == "phone")
            let long = [UInt8](repeating: 7, count: 21)
            #expect(
                await stage.run { $0.notify(long, to: "phone") }
                    == .valueTooLong(length: 21, limit: 20)
            )
            _ = await stage.call(
                ServerStage.characteristicPath,
                "ReadValue",
                [ServerStage.options(of: Self.phone, mtu: 200)]
            )
            #expect(await stage.run { $0.notify(long, to: "phone") } == nil)
            let later = await stage.run { $0.characteristic?.subscribers.first }
            #expect(later?.mtu == 200)
            _ = socket
        }
    }

    @Test("A broadcast is not reported as sent if a subscriber's MTU truncates it")
    func cutForOne() async throws {
        try await ServerStage.withSubscribers { stage in
            await stage.connect(Self.phone)
            await stage.connect(Self.tablet)
            let phone = await stage.subscribe(Self.phone, mtu: 23)
            let tablet = await stage.subscribe(Self.tablet, mtu: 517)
            await stage.wait(for: #"subscribers ["phone", "tablet"]"#)
            await stage.run { _ in
                phone?.read()
                tablet?.read()
            }
            let fitting = [UInt8](repeating: 1, count: 20)
            let long = [UInt8](repeating: 2, count: 21)
            #expect(await stage.run(AttributeTests.notify(fitting)) == true)
            #expect(await stage.run(AttributeTests.notify(long)) == false)
            // The value still goes to all, and can be read.
            await stage.wait(for: "tablet \(long)")
            #expect(await stage.run { $0.characteristic?.value } == Data(long))
            _ = await stage.call(
                ServerStage.characteristicPath,
                "ReadValue",
                [ServerStage.options(of: Self.phone, mtu: 200)]
            )
            #expect(await stage.run(AttributeTests.notify(long)) == true)
        }
    }

    @Test("Before 5.76, a broadcast is not reported as sent if a subscriber's MTU truncates it")
    func cutForOneOfAll() async throws {
        try await ServerStage.withSubscribers("usb:v1D6Bp0246d0546") { stage in
            await stage.connect(Self.phone)
            let phone = await stage.subscribe(Self.phone, mtu: 23)
            let long = [UInt8](repeating: 2, count: 21)
            #expect(await stage.run(AttributeTests.notify(long)) == false)
            _ = phone
        }
    }

    @Test("Values that cannot be sent to one central throw an error")
    func refused() async throws {
        try await ServerStage.withSubscribers { stage in
            await stage.connect(Self.phone)
            let central = try #require(await stage.run { $0.identifier("phone") })
            #expect(await stage.run { $0.notify([1], to: "phone") } == .notSubscribed(central))
            let socket = await stage.subscribe(Self.phone)
            #expect(
                await stage.run { $0.notify([], to: "phone") }
                    == .notSupported("an empty value cannot be sent to a single central")
            )
            await stage.run { stage in
                let stray = LocalCharacteristic(
                    uuid: BluetoothUUID(uint16: 0x2A37),
                    properties: .notify,
                    subscriptions: .perCentral
                )
                #expect(throws: BluejayError.notAdded(stray.uuid)) {
                    try stage.server?.notify(Data([1]), on: stray, to: central)
                }
                stage.server?.notify(Data([1]), on: stray, to: central) {
                    stage.note("stray", $0)
                }
                stage.note("called")
            }
            let journal = await stage.wait(
                for: "not stray: \(BluejayError.notAdded(BluetoothUUID(uint16: 0x2A37)))"
            )
            #expect(journal.suffix(2).first == "called")
            _ = socket
        }
    }

    @Test("With shared subscriptions, unicast fails")
    func together() async throws {
        try await ServerStage.withServer { stage in
            await stage.publish(PublishingTests.plain)
            await stage.connect(Self.phone)
            #expect(await stage.run { $0.notify([1], to: "phone") }?.code == .invalidProperties)
            #expect(await stage.run { $0.characteristic?.subscribers } == [])
            #expect(await stage.subscribe(Self.phone) == nil)
        }
    }

    // MARK: BlueZ before 5.76

    @Test("Without unicast support, a value is sent to one central only while it is alone")
    func beforeAddressing() async throws {
        try await ServerStage.withSubscribers("usb:v1D6Bp0246d0542") { stage in
            await stage.connect(Self.phone)
            let socket = await stage.subscribe(Self.phone)
            await stage.run { stage in
                socket?.read()
                #expect(stage.notify([1], to: "phone") == nil)
            }
            await stage.wait(for: "phone [1]")
            await stage.connect(Self.tablet)
            let (phone, tablet) = await stage.run {
                ($0.identifier("phone"), $0.identifier("tablet"))
            }
            #expect(
                await stage.run { $0.notify([2], to: "phone") }
                    == phone.map { .notAddressable($0) }
            )
            #expect(
                await stage.run { $0.notify([2], to: "tablet") }
                    == tablet.map { .notAddressable($0) }
            )
            #expect(await stage.run(AttributeTests.notify([3])) == true)
            await stage.wait(for: "phone [3]")
            // bluetoothd does not report the second; after the first has left, all values are for the second.
            await stage.run { $0.daemon?.setConnected(false) }
            await stage.wait(for: "phone disconnected")
            #expect(await stage.run { $0.notify([4], to: "tablet") } == nil)
            await stage.wait(for: "phone [4]")
        }
    }

    @Test("If another central connects, queued unicast values are discarded")
    func waitingForOne() async throws {
        try await ServerStage.withSubscribers("usb:v1D6Bp0246d0542") { stage in
            await stage.connect(Self.phone)
            let socket = await stage.subscribe(Self.phone)
            let count = await stage.run { stage in
                let count = stage.fill("phone")
                #expect(stage.characteristic?.subscribers.first?.waitingValueCount == 256)
                return count
            }
            await stage.connect(Self.tablet)
            #expect(
                await stage.run { $0.characteristic?.subscribers.first?.waitingValueCount } == 0
            )
            await stage.run { stage in
                socket?.read()
                _ = AttributeTests.notify([9])(stage)
            }
            await stage.wait(for: "phone [9]")
            let packets = await stage.run { _ in socket?.packets.count }
            #expect(packets == count - 256 + 1)
        }
    }

    // MARK: A central that does not read

    @Test(
        "A full socket queues 256 values and rejects more, without delaying another central"
    )
    func full() async throws {
        try await ServerStage.withSubscribers { stage in
            let (phone, tablet) = await stage.two()
            let count = await stage.run { stage in
                let count = stage.fill("phone")
                stage.notifyAndNote([7], to: "phone")
                tablet?.read()
                #expect(AttributeTests.notify([8])(stage) == true)
                #expect(stage.characteristic?.subscribers.map(\.droppedValueCount) == [1, 0])
                #expect(stage.notify([9], to: "tablet") == nil)
                return count
            }
            #expect(count > 256)
            let journal = await stage.wait(for: "tablet [9]")
            #expect(journal.contains("not sent [7]: \(BluejayError.tooManyValues(limit: 256))"))
            #expect(journal.contains("tablet [8]"))
            await stage.run { _ in phone?.read() }
            let last = [UInt8((count - 1) >> 8), UInt8((count - 1) & 0xFF)]
            await stage.wait(for: "phone \(last)")
            let expected = (0..<count).map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            #expect(await stage.run { _ in phone?.packets } == expected)
            await stage.run { $0.notifyAndNote([3], to: "phone") }
            await stage.wait(for: "sent [3]")
        }
    }

    @Test("A sender that awaits each value sends as fast as the central receives")
    func awaited() async throws {
        try await ServerStage.withSubscribers { stage in
            await stage.connect(Self.phone)
            let socket = await stage.subscribe(Self.phone)
            let sender = Sender(stage)
            async let count = sender.send(1_000)
            await stage.run { _ in socket?.read() }
            #expect(await count == 1_000)
            await stage.wait(for: "phone [231]")
        }
    }

    actor Sender {
        private let stage: ServerStage
        private let loop: MainLoop

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            unsafe loop.asUnownedSerialExecutor()
        }

        init(_ stage: ServerStage) {
            self.stage = stage
            loop = stage.loop
        }

        func send(_ count: Int) async -> Int {
            for number in 0..<count {
                guard let server = stage.server, let characteristic = stage.characteristic,
                    let central = stage.identifier("phone")
                else { return number }
                do {
                    let value = Data([UInt8(number % 256)])
                    try await server.notifyAndWait(value, on: characteristic, to: central)
                } catch {
                    return number
                }
            }
            return count
        }
    }

    @Test("A confirmed indication is reported, also through a socket")
    func confirmed() async throws {
        try await ServerStage.withSubscribers(properties: .indicate) { stage in
            await stage.run {
                $0.characteristic?.onConfirm = { [weak stage] in
                    stage?.note("confirmed")
                }
            }
            await stage.connect(Self.phone)
            let socket = await stage.subscribe(Self.phone)
            await stage.run { _ in socket?.confirm() }
            await stage.wait(for: "confirmed")
        }
    }
}
