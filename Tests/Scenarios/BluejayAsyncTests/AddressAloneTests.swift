import Bluejay
import BluejayAsync
import BluejaySimulator
import TestSupport
import Testing

@Suite("A peripheral identified by its address only", .timeLimit(.minutes(15)))
struct AddressAloneTests {
    private static let lamp = "C4:7C:8D:6A:1F:02"

    /// Adds a lamp with a public or random address, of which bluetoothd knows nothing yet.
    private func stage(isRandom: Bool) async throws -> AsyncStage {
        let stage = try await AsyncStage()
        await stage.system.perform {
            $0.add(
                SimulatedDevice(
                    address: Self.lamp,
                    isRandom: isRandom,
                    name: "Lamp",
                    advertising: ["FFE0"]
                )
            )
        }
        return stage
    }

    @Test("A search determines whether the address is public or random", arguments: [true, false])
    func unknown(isRandom: Bool) async throws {
        let stage = try await stage(isRandom: isRandom)
        let lamp = try await stage.bluejay.connect("c4-7c-8d-6a-1f-02", timeout: .seconds(20))
        #expect(lamp.address == Self.lamp && lamp.isRandomAddress == isRandom)
        #expect(lamp.name == "Lamp")
        #expect(stage.bluejay.connectedPeripheral == lamp)
        // The same peripheral, so the call succeeds at once.
        #expect(try await stage.bluejay.connect("C4:7C:8D:6A:1F:02") == lamp)
    }

    @Test(
        "A peripheral known to bluetoothd is connected without a search",
        arguments: [true, false]
    )
    func known(isRandom: Bool) async throws {
        let stage = try await stage(isRandom: isRandom)
        let lamp = try await stage.bluejay.connect(toFirst: .name("Lamp"), within: 20)
        try await stage.bluejay.disconnect()
        let text = try PeripheralIdentifier(address: Self.lamp, name: "My lamp")
        let again = try await stage.bluejay.connect(text, timeout: .seconds(20))
        #expect(again == lamp && again.uuid == lamp.uuid)
        try await stage.bluejay.disconnect()
        try await stage.bluejay.forget(text)
        let names = try await stage.bluejay.knownPeripherals().map(\.name)
        #expect(!names.contains("Lamp"))
        await #expect(throws: BluejayError.peripheralNotFound(lamp)) {
            try await stage.bluejay.forget(text)
        }
    }

    @Test("An address that is out of range times out like any other peripheral")
    func nobody() async throws {
        let stage = try await AsyncStage()
        let error = await #expect(throws: BluejayError.self) {
            try await stage.bluejay.connect("C4:7C:8D:6A:1F:02", timeout: .seconds(0.3))
        }
        #expect(error == .connectionTimedOut)
        #expect(error?.peripheral?.address == Self.lamp)
    }

    @Test("Connecting to another address while connected fails with the connected peripheral")
    func another() async throws {
        let stage = try await stage(isRandom: false)
        let gadget = try await stage.bluejay.connect(toFirst: .name("Gadget"), within: 20)
        let error = await #expect(throws: BluejayError.self) {
            try await stage.bluejay.connect("C4:7C:8D:6A:1F:02")
        }
        #expect(error == .multipleConnectNotSupported)
        #expect(error?.conflictingPeripheral == gadget)
    }

    @Test("An invalid address literal fails immediately")
    func malformed() async throws {
        let stage = try await AsyncStage()
        await #expect(throws: BluejayError.malformedAddress("Lamp")) {
            try await stage.bluejay.connect("Lamp")
        }
        await #expect(throws: BluejayError.malformedAddress("Lamp")) {
            try await stage.bluejay.forget("Lamp")
        }
    }
}
