import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import TestTraits
import Testing

@Suite(
    "Activation of bluetoothd by the bus",
    .enabled(if: !isRealBlueZ, "requires the simulated bus"),
    .timeLimit(.minutes(15))
)
struct ActivationTests {
    private static func system() async throws -> SimulatedSystem {
        var options = SimulatorOptions.accelerated()
        options.isActivated = true
        let system = try await SimulatedSystem.start(options)
        await system.perform { $0.add(.heartRateSensor()) }
        return system
    }

    @Test("The bus restarts a bluetoothd that exits, and the connection is restored each time")
    func died() async throws {
        let system = try await Self.system()
        let central = await RecordingCentral(system.busAddress, reconnects: true)
        await central.wait(for: "available true")
        try await central.connect(central.find())
        for number in 0..<2 {
            await central.forget()
            if number.isMultiple(of: 2) {
                await system.killDaemon()
            } else {
                await system.terminateDaemon()
            }
            await central.wait(for: "available false")
            await central.wait(for: "available true")
            await central.wait(for: "connected Heart Rate Sensor")
        }
        system.stop()
    }

    @Test(
        "The bus starts a missing bluetoothd as soon as the instance starts",
        .pitfall(.missingDaemon)
    )
    func missing() async throws {
        let system = try await Self.system()
        await system.killDaemon()
        let central = await RecordingCentral(system.busAddress)
        await central.wait(forState: .poweredOn)
        #expect(await central.record() == ["available true"])
        system.stop()
    }
}
