import BluejayGLib
import Foundation
import TestSupport
import Testing

/// Tests `SimulatorSession`.
@Suite("bluez-simulator --central", .timeLimit(.minutes(15)))
struct CentralOptionTests {
    @Test("A central runs its script against a peripheral program and prints each step")
    func peripheral() async throws {
        let script = """
            # What a phone does.
            connect hci0; read 2A38
            subscribe 2A37; expect 2A37 2
            repeat 2; write 2A38 01; end
            read 2AFF; leave
            """
        let output = try await Self.run(
            "exec $0/bluez-simulator --central \"$1\" -- $0/virtual-peripheral --adapter hci0",
            script,
            answers: "quit",
            to: "central 1: done"
        )
        let told = output.lines.filter { $0.hasPrefix("central 1:") }
        #expect(told.first == "central 1: connected")
        #expect(told.contains { $0.hasPrefix("central 1: 2A38 is 0") })
        #expect(told.filter { $0.contains("00002a37") && $0.contains(" sent ") }.count >= 2)
        #expect(told.contains("central 1: read 2AFF: characteristic 2AFF not found"))
        let refused = "central 1: write 2A38: refused: ATT 0x03"
        #expect(told.filter { $0 == refused }.count == 2)
        #expect(told.suffix(2) == ["central 1: disconnected", "central 1: done, 3 failed"])
        #expect(output.status == 0)
    }

    static let wrong = [
        ("jump", "unknown step jump"), ("", "at least one step"),
        ("read", "an argument is missing"),
        ("write 2A39 0", "pairs of hexadecimal digits"), ("write 2A39 +1", "pairs of hexadecimal"),
        ("leave now", "too many arguments"), ("repeat 2; leave", "repeat without end"),
        ("end", "end without repeat"), ("expect 2A37 x", "expected a number"),
        ("wait -1", "expected a number of seconds"), ("connect hcix", "the adapter must be hci0"),
        ("prepare 2A39 01 9223372036854775807", "the offset must be between 0 and 65535"),
        (String(repeating: "repeat;", count: 18_000), "more than 100 nested repetitions"),
    ]

    @Test("An invalid script is rejected with the reason", arguments: wrong)
    func refused(script: String, reason: String) async throws {
        let output = try await Self.run("exec $0/bluez-simulator --central \"$1\" -- true", script)
        #expect(output.status == 64)
        #expect(output.lines.joined(separator: "\n").contains(reason))
    }

    /// Runs a shell command: `$0` is the folder of the programs, `$1` the argument.
    private static func run(
        _ line: String,
        _ argument: String,
        answers answer: String? = nil,
        to question: String? = nil
    ) async throws -> Output {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let programs = tests.deletingLastPathComponent().path
        let process = LineProcess(named: "central")
        let output = Output()
        output.status = try await withCheckedThrowingContinuation { continuation in
            process.context.post {
                do {
                    try process.start(
                        ["bash", "-c", "exec 2>&1; " + line, programs, argument],
                        environment: [:]
                    ) { line in
                        output.lines.append(line)
                        if let answer, let question, line.hasPrefix(question) {
                            process.write(answer)
                        }
                    } onEnd: {
                        continuation.resume(returning: $0)
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        withExtendedLifetime(process) {}
        return output
    }
}

// Written on the context of the process and read after its end.
private final class Output: @unchecked Swift.Sendable {
    var lines: [String] = []
    var status: Int32 = -1
}
