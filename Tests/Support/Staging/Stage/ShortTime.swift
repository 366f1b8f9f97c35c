package import BluejaySimulator

extension SimulatorOptions {
    /// Returns options for one adapter, with waits of a twentieth of the real ones.
    package static func accelerated(_ kind: SimulatedBlueZVersion = .v5_66) -> SimulatorOptions {
        var options = SimulatorOptions()
        options.version = kind
        options.adapters = 1
        options.timeScale = 0.05
        return options
    }
}

/// Runs `play` on a new simulated BlueZ, which ends with it; one at a time in a process.
///
/// - Throws: The error of `play`, or that of the start of the simulated BlueZ.
package nonisolated(nonsending) func onSimulatedBlueZ(
    _ options: SimulatorOptions = .accelerated(),
    _ play: nonisolated(nonsending) (SimulatedSystem) async throws -> Void
) async throws {
    let slot = await BusSlot.acquire()
    defer { withExtendedLifetime(slot) {} }
    let system = try await SimulatedSystem.start(options)
    defer { system.stop() }
    try await play(system)
}
