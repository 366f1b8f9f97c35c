import BluejayCore
import BluejayGLib
import BluejaySimulator
import BluejayTesting
import Foundation
import TestSupport
import Testing

@testable import PocketMesh

struct VirtualRadioStage {
    let world: TestWorld
    let radio: BLEStateMachine
    let journal: Journal

    static func play(
        _ kind: SimulatedBlueZVersion = .v5_86,
        _ device: SimulatedDevice = simulatedRadio(),
        kernel: SimulatedKernel = .v6_1_176,
        _ change: (inout RadioSettings) -> Void = { _ in },
        _ body: @escaping @Sendable (VirtualRadioStage) async throws -> Void
    ) async throws {
        var options = SimulatorOptions()
        options.version = kind
        options.adapters = 1
        options.kernel = kernel
        let added = UncheckedTransfer(device)
        let world = try await TestWorld.make(options) { $0.add(added.value) }
        var settings = RadioSettings()
        change(&settings)
        let radio = BLEStateMachine(
            settings,
            host: BluetoothHost(mainLoop: world.mainLoop, busAddress: world.busAddress)
        )
        let stage = VirtualRadioStage(world: world, radio: radio, journal: Journal())
        try await world.run {
            await radio.note(in: stage.journal)
            try await body(stage)
            await radio.shutdown()
        }
    }

    func on(_ work: @escaping @Sendable (SimulatedDevice) -> Void) throws {
        try world.perform { $0.device(RadioStage.address).map(work) }
    }

    /// Lets bluetoothd discover and keep the radio.
    func see() async throws {
        _ = try await radio.connect(to: RadioStage.device)
        await radio.disconnect()
    }

    func wait(_ time: Duration) async throws { try await world.clock.sleep(for: time) }

    func wait(for phase: String) async throws {
        try await wait { await radio.currentPhase.name == phase }
    }

    /// Waits up to 40 s of virtual time for a condition.
    func wait(
        _ location: SourceLocation = #_sourceLocation,
        _ isSo: () async throws -> Bool
    ) async throws {
        for _ in 0..<2_000 {
            if try await isSo() { return }
            try await wait(.milliseconds(20))
        }
        Issue.record("the condition was not fulfilled: \(journal.lines)", sourceLocation: location)
    }

    func isLinked() throws -> Bool {
        try world.perform { $0.device(RadioStage.address)?.isConnected ?? false }
    }
}
