import Bluejay
import BluejayAsync
import BluejaySimulator
import Testing

@Suite("Calls shown in the guides", .timeLimit(.minutes(15)))
struct ReadmeCallsTests {
    @Test("Each call can be awaited and returns a value or reports a missing attribute")
    func calls() async throws {
        let stage = try await AsyncStage()
        let bluejay = stage.bluejay
        bluejay.defaultTimeouts = DefaultTimeouts(connect: 30, characteristics: 10)
        let filter = ScanFilter.anyService([service]) && .minimumRSSI(-100)
        let gadget = try await bluejay.connect(toFirst: filter, within: 20)
        #expect(gadget.name == "Gadget")
        #expect(bluejay.connectedPeripheral == gadget)
        let second = CharacteristicIdentifier(uuid: "2A38", service: service, instance: 1)
        await #expect(throws: BluejayError.missingCharacteristic(second)) {
            let _: UInt8 = try await bluejay.read(from: second)
        }
        let description = DescriptorIdentifier.userDescription(of: quick)
        await #expect(throws: BluejayError.missingDescriptor(description)) {
            let _: String = try await bluejay.read(from: description)
        }
        await #expect(throws: BluejayError.self) { try await bluejay.batteryLevel() }
        await #expect(throws: BluejayError.self) { try await bluejay.deviceInformation() }
        #expect(try await bluejay.peripheralDetails().name == "Gadget")
        _ = try await bluejay.mtu()
        #expect(try await bluejay.listAdapters().map(\.name) == ["hci0"])
        #expect(try await bluejay.knownPeripherals().map(\.identifier) == [gadget])
        #expect(
            try await bluejay.connectedPeripherals(withServices: [service])
                == [gadget]
        )
        let error = await #expect(throws: BluejayError.self) { try await bluejay.forget(gadget) }
        #expect(error?.code == .inUse)
        let scan = bluejay.scan(matching: filter, besideQueue: true)
        #expect(try await bluejay.read(from: quick) == UInt8(1))
        await bluejay.stopScanning()
        #expect(await drain(scan).error == nil)
    }
}
