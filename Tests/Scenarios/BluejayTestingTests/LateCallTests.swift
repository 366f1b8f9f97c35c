import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import Testing

/// Tests `SimulatedBus` and `CallInterceptor`.
@Suite("Calls that bluetoothd serves late", .timeLimit(.minutes(15)))
struct LateCallTests {
    @Test(
        "A late call of a program that has left the bus leaves nothing at bluetoothd",
        .simulatedBlueZ,
        arguments: [
            FaultEffect.callDelayed(.seconds(5)), .world(.callsHeld("StartDiscovery")),
            .world(.daemonFrozen(for: .seconds(5))),
        ]
    )
    func leftBus(effect: FaultEffect) async throws {
        let world = try TestWorld.current
        try world.perform {
            $0.play(FaultSchedule([FaultEvent(on: .call("StartDiscovery"), effect)]))
        }
        try await scan(for: .seconds(1))
        try await world.clock.sleep(for: .seconds(10))
        try world.perform { $0.apply(.callsReleased("StartDiscovery")) }
        try await world.clock.sleep(for: .seconds(10))
        #expect(try world.perform { $0.heldResources } == [:])
    }

    /// Starts a scan, and releases its instance while the scan waits.
    private func scan(for duration: Duration) async throws {
        let bluejay = try await startedBluejay()
        try await bluejay.waitUntilReady()
        let scan = Task {
            for try await _ in bluejay.scan() {}
        }
        try await TestWorld.current.clock.sleep(for: duration)
        scan.cancel()
        _ = await scan.result
    }
}
