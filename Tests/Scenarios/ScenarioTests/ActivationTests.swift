import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite(
    "A bluetoothd that the bus starts",
    .enabled(if: !isRealBlueZ, "the bus is the simulator's"),
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

    @Test("32.10: one that dies is back by itself, again and again, and so is the connection")
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

    @Test("32.10: one that is missing at the start is started at once")
    func missing() async throws {
        let system = try await Self.system()
        await system.killDaemon()
        let central = await RecordingCentral(system.busAddress)
        await central.wait(forState: .poweredOn)
        #expect(await central.record() == ["available true"])
        system.stop()
    }
}
