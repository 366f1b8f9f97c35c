import BluejayGLib
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

final class ToolStage: Sendable {
    let system: SimulatedSystem
    let stateHome: URL

    private init(_ system: SimulatedSystem) {
        self.system = system
        stateHome = FileManager.default.temporaryDirectory
            .appending(path: "bluejay-tool-\(UUID().uuidString)")
    }

    static func play(
        _ options: SimulatorOptions = .accelerated(),
        _ devices: [SimulatedDevice] = [.heartRateSensor()],
        _ body: (ToolStage) async throws -> Void
    ) async throws {
        let devices = UncheckedTransfer(devices)
        try await onSimulatedBlueZ(options) { system in
            let stage = ToolStage(system)
            await system.perform { world in devices.value.forEach(world.add) }
            defer { try? FileManager.default.removeItem(at: stage.stateHome) }
            try await body(stage)
        }
    }

    var environment: [String: String] {
        ["DBUS_SYSTEM_BUS_ADDRESS": system.busAddress, "XDG_STATE_HOME": stateHome.path]
    }

    func begin(_ arguments: [String]) async throws -> RunningProgram {
        try await RunningProgram("bluejay", arguments, environment: environment)
    }

    /// Runs the tool to its end and returns its merged output and exit status.
    func run(_ arguments: String...) async throws -> Outcome {
        let program = try await begin(arguments)
        try await wait { program.status != nil }
        return Outcome(program.lines, program.status ?? -1)
    }

    /// Runs the tool to its end and compares its output and exit status.
    func check(
        _ arguments: String...,
        gives lines: [String],
        status: Int32 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let program = try await begin(arguments)
        try await wait { program.status != nil }
        let outcome = Outcome(program.lines, program.status ?? -1)
        #expect(outcome == Outcome(lines, status), sourceLocation: sourceLocation)
    }

    /// Runs a shell command in which `bluejay` is the tool.
    func shell(_ line: String) async throws -> Outcome {
        let bluejay = "bluejay() { '\(programPath("bluejay"))' \"$@\"; }; "
        return try await outcome(
            of: ["bash", "-o", "pipefail", "-c", "exec 2>&1; " + bluejay + line],
            environment: environment
        )
    }

    func isConnected(_ address: String = SimulatedDevice.HeartRateSensor.address) async -> Bool {
        await system.read { $0.device(address)?.isConnected ?? false } ?? false
    }

    func isListening(_ address: String, to characteristic: String) async -> Bool {
        let count = await system.read {
            $0.device(address)?.listenerCount(of: characteristic) ?? 0
        }
        return (count ?? 0) > 0
    }
}

struct Outcome: Equatable {
    let lines: [String]
    let status: Int32

    init(_ lines: [String], _ status: Int32 = 0) {
        self.lines = lines
        self.status = status
    }
}

/// Runs a command to its end and returns its output, with errors, and its status.
func outcome(
    of command: [String],
    environment: [String: String] = [:]
) async throws -> Outcome {
    let limited = ["timeout", "-k", "5", "120", "sh", "-c", "exec \"$@\" 2>&1", "-"] + command
    let (lines, status) = try await runCommand(limited, environment: environment)
    return Outcome(lines, status)
}
