package import BluejaySimulator

extension SimulatorOptions {
    /// One adapter, and waits that are a twentieth of the real ones.
    package static func inShortTime(_ kind: BlueZKind = .v5_66) -> SimulatorOptions {
        var options = SimulatorOptions()
        options.kind = kind
        options.adapters = 1
        options.timeScale = 0.05
        return options
    }
}

/// Plays on a simulated BlueZ, which ends with it; one at a time in a process.
///
/// - Throws: What `play` throws, or that the simulated BlueZ could not start.
package nonisolated(nonsending) func onSimulatedBlueZ(
    _ options: SimulatorOptions = .inShortTime(),
    _ play: nonisolated(nonsending) (SimulatedSystem) async throws -> Void
) async throws {
    let turn = await Turn.take()
    defer { withExtendedLifetime(turn) {} }
    let system = try await SimulatedSystem.start(options)
    defer { system.stop() }
    try await play(system)
}
