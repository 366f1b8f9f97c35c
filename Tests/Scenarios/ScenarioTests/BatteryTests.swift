import Bluejay
import BluejaySimulator
import Staging
import TestSupport
import TestTraits
import Testing

/// BlueZ 5.66 hides the service 180F and offers `Battery1` in its place.
@Suite("Battery of a peripheral", .timeLimit(.minutes(15)))
struct BatteryTests {
    private var gadget: PeripheralScript {
        var script = PeripheralScript.gadget([
            ScriptedCharacteristic("2A38", ["read"], .value([1]))
        ])
        script.services.append(
            PeripheralScript.Service(
                "180F",
                [ScriptedCharacteristic("2A19", ["read", "notify"], .value([77]))]
            )
        )
        return script
    }

    @Test(
        "The battery can be read and listened to, whichever way BlueZ exposes it",
        .pitfall(.claimedServices)
    )
    func level() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            let central = connected.central
            let level: UInt8 = try await central.value(of: .batteryLevel)
            #expect(level == 77)
            await central.listen(.batteryLevel, as: "battery")
            await central.settle()
            try await connected.peripheral.send([76], on: "2A19")
            await central.wait(for: "battery 4c")
            try await central.endListen(.batteryLevel)
            #expect(await central.services().contains { $0.identifier.uuid.uuidString == "180F" })
        }
    }
}
