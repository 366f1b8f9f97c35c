import Bluejay
import BluejayAsync
import BluejaySimulator
import Foundation
import Testing

private let text = DescriptorIdentifier.userDescription(of: told)
private let told = CharacteristicIdentifier(uuid: "FF02", service: ServiceIdentifier(uuid: "FF00"))

@Suite("Peripheral calls with await", .timeLimit(.minutes(15)))
struct PeripheralTests {
    private func connected() async throws -> AsyncStage {
        let stage = try await AsyncStage()
        try await stage.gadget { gadget in
            gadget.addService(
                "FF00",
                [
                    ScriptedCharacteristic(
                        "FF02",
                        ["read", "writable-auxiliaries"],
                        .value([1]),
                        descriptors: [("2901", Array("Wing".utf8))]
                    )
                ]
            )
            gadget.addService(
                "180A",
                [ScriptedCharacteristic("2A29", ["read"], .value(Array("Blue".utf8)))]
            )
            gadget.addService(
                "180F",
                [ScriptedCharacteristic("2A19", ["read", "notify"], .value([50]))]
            )
        }
        try await stage.bluejay.connect(stage.bluejay.find(), timeout: .seconds(10))
        return stage
    }

    @Test("Every peripheral call can be awaited")
    func everyCall() async throws {
        let stage = try await connected()
        let bluejay = stage.bluejay
        try await bluejay.write(to: text, value: "Jay")
        #expect(try await bluejay.read(from: text, as: String.self) == "Jay")
        let again: String = try await bluejay.read(from: text)
        #expect(again == "Jay")
        #expect(try await bluejay.batteryLevel() == 50)
        #expect(try await bluejay.deviceInformation().manufacturer == "Blue")
        try await bluejay.setAlias("Bird")
        #expect(try await bluejay.peripheralDetails().alias == "Bird")
        #expect(try await bluejay.mtu() == 517)
    }

    @Test("An awaited call throws the error of its completion")
    func refusals() async throws {
        let stage = try await connected()
        let bluejay = stage.bluejay
        let none = DescriptorIdentifier(uuid: "2904", characteristic: told)
        await #expect(throws: BluejayError.missingDescriptor(none)) {
            try await bluejay.read(from: none, as: PresentationFormat.self)
        }
        await #expect(throws: BluejayError.self) {
            try await bluejay.write(
                to: DescriptorIdentifier(uuid: "2902", characteristic: measurement),
                value: UInt16(1)
            )
        }
        try await bluejay.disconnect()
        await #expect(throws: BluejayError.notConnected) { try await bluejay.batteryLevel() }
        await #expect(throws: BluejayError.notConnected) { try await bluejay.deviceInformation() }
        await #expect(throws: BluejayError.notConnected) { try await bluejay.setAlias("Bird") }
        await #expect(throws: BluejayError.notConnected) { try await bluejay.peripheralDetails() }
        await #expect(throws: BluejayError.notConnected) { try await bluejay.mtu() }
    }

    @Test("A cancelled task cancels its pending call only")
    func cancelled() async throws {
        let stage = try await connected()
        let bluejay = stage.bluejay
        let running = Task.immediate { () -> UInt8 in try await bluejay.read(from: slow) }
        let calls = [
            Task.immediate { _ = try await bluejay.read(from: text, as: String.self) },
            Task.immediate { try await bluejay.write(to: text, value: "Jay") },
            Task.immediate { _ = try await bluejay.batteryLevel() },
            Task.immediate { _ = try await bluejay.deviceInformation() },
            Task.immediate { try await bluejay.setAlias("Bird") },
        ]
        await stage.onLoop { _ in }
        for call in calls { call.cancel() }
        for call in calls {
            await #expect(throws: CancellationError.self) { try await call.value }
        }
        #expect(try await running.value == 7)
        #expect(try await bluejay.read(from: text, as: String.self) == "Wing")
        #expect(try await bluejay.peripheralDetails().alias == "Gadget")
    }

    @Test("Cancelling a running deviceInformation skips the remaining reads")
    func cancelledInBetween() async throws {
        let stage = try await connected()
        let bluejay = stage.bluejay
        try await stage.gadget { $0.hold(.read, of: "2A29") }
        let call = Task.immediate { _ = try await bluejay.deviceInformation() }
        while try await stage.gadget({ $0.heldCount(.read, of: "2A29") }) == 0 {}
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        try await stage.gadget { $0.release(.read, of: "2A29") }
        #expect(try await bluejay.batteryLevel() == 50)
    }

    @Test("Peripheral events arrive in order until the instance is stopped")
    func events() async throws {
        let stage = try await connected()
        let bluejay = stage.bluejay
        var events = bluejay.peripheralEvents.makeAsyncIterator()
        await stage.onLoop { _ in }
        try await bluejay.setAlias("Bird")
        try await stage.gadget { $0.mtu = 200 }
        guard case .detailsChanged(let details)? = await events.next() else {
            Issue.record("no details were reported")
            return
        }
        #expect(details.alias == "Bird")
        #expect(await events.next() == .mtuChanged(200))
        await stage.onLoop { _ = $0.stopAndExtractBluetoothState() }
        #expect(await events.next() == nil)
    }
}
