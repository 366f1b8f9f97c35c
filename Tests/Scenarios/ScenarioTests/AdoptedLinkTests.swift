import Bluejay
import BluejayDBus
import BluejaySimulator
import Staging
import TestSupport
import TestTraits
import Testing

@Suite("A link held by another program", .timeLimit(.minutes(15)))
struct AdoptedLinkTests {
    private static let device: ObjectPath = "/org/bluez/hci0/dev_C0_00_00_00_00_01"
    private static let characteristic = "org.bluez.GattCharacteristic1"

    /// The error of `StartNotify` on the last characteristic, which does not notify.
    private func refusal(_ bus: TestbedBus) async throws -> String? {
        let paths = try await bus.objects().filter { $0.contains("_01/") && !$0.contains("/desc") }
        guard let path = paths.max().flatMap({ ObjectPath($0) }) else { return nil }
        do {
            try await bus.call(path, Self.characteristic, "StartNotify")
        } catch let error as BusError {
            return error.name
        }
        return nil
    }

    private func isResolved(_ bus: TestbedBus) async throws -> Bool {
        try await bus.property("ServicesResolved")?.boolean == true
    }

    @Test(
        "If the adopted link is being disconnected, connect establishes a new link before it succeeds",
        .fault(.otherDisconnects, during: .connect)
    )
    func dying() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await context.found(
                .gadget([ScriptedCharacteristic("2A38", ["read"], .value([7]))])
            )
            let central = found.central
            let bus = try await TestbedBus(context.testbed.busAddress)
            try await bus.call(Self.device, "org.bluez.Device1", "Connect")
            try await wait { try await isResolved(bus) }
            #expect(try await refusal(bus) == "org.bluez.Error.NotSupported")
            let end = Task { try await bus.call(Self.device, "org.bluez.Device1", "Disconnect") }
            try await wait {
                try await refusal(bus) == "org.bluez.Error.NotConnected"
            }
            try await central.connect(found.identifier)
            #expect(try await central.value(of: location, as: UInt8.self) == 7)
            _ = try await end.value
            #expect(try await central.value(of: location, as: UInt8.self) == 7)
            #expect(await !central.record().contains("disconnected Gadget"))
        }
    }
}
