import BluejayGLib
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("A program that is async from its first line", .timeLimit(.minutes(5)))
struct ProgramTests {
    @Test("It connects, prints three heart rates, disconnects, and ends")
    func threeBeats() async throws {
        let turn = await Turn.take()
        defer { withExtendedLifetime(turn) {} }
        let system = try await SimulatedSystem.start(SimulatorOptions())
        await system.perform { $0.add(.heartRateSensor()) }
        let (lines, status) = try await run("async-program", bus: system.busAddress)
        #expect(lines == ["60", "61", "62"])
        #expect(status == 0)
        let sensor = await system.read { $0.device("C4:7C:8D:6A:1F:02")?.isConnected }
        #expect(sensor == false)
    }

    private func run(_ name: String, bus: String) async throws -> ([String], Int32) {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = tests.deletingLastPathComponent().appending(path: name).path
        let process = LineProcess(named: name)
        let output = Output()
        let status = try await withCheckedThrowingContinuation { continuation in
            process.context.post {
                do {
                    try process.start([program], environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus]) {
                        output.lines.append($0)
                    } onEnd: {
                        continuation.resume(returning: $0)
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        withExtendedLifetime(process) {}
        return (output.lines, status)
    }
}

/// What a program printed.
// Written on the context of the process, and read when that has ended.
private final class Output: @unchecked Swift.Sendable {
    var lines: [String] = []
}
