import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import Foundation
import Testing

private let newestBlueZ: SimulatorOptions = {
    var options = SimulatorOptions()
    options.version = .v5_86
    return options
}()

@Suite("Battery level", .timeLimit(.minutes(15)))
struct BatteryLevelTests {
    @Test(
        "A level above 100 fails instead of being reported as a percentage",
        .simulatedBlueZ(newestBlueZ) { world in
            let device = SimulatedDevice(address: "C0:00:00:00:00:07", advertising: ["180F"])
            device.addService("180F", [ScriptedCharacteristic("2A19", ["read"], .value([200]))])
            world.add(device)
        }
    )
    func reservedLevel() async throws {
        let bluejay = try await startedBluejay()
        try await bluejay.connect(try await find("180F", by: bluejay), timeout: .seconds(10))
        let error = await #expect(throws: BluejayError.self) { try await bluejay.batteryLevel() }
        #expect(error?.code == .notSupported)
        let level: UInt8 = try await bluejay.read(from: .batteryLevel)
        #expect(level == 200)
    }
}
