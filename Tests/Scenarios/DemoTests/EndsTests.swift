import Foundation
import TestSupport
import Testing

@Suite("Endings of the demos", .timeLimit(.minutes(15)))
struct EndsTests {
    @Test("A demo without a peer ends after its duration and reports a missing radio")
    func searching() async throws {
        let player = try await Self.play("game-player", ["--for", "1"])
        #expect(player.lines == [])
        #expect(player.status == 0)
        let chat = try await Self.play("mesh-chat", ["--for", "1"])
        #expect(chat.lines == ["mesh-chat: no radio responded; check that one is on and in range"])
        #expect(chat.status == 1)
        let radio = try await Self.play("mesh-radio", ["--for", "1"])
        #expect(radio.lines == [])
        #expect(radio.status == 0)
    }

    @Test("Without an adapter each mesh program reports that and fails")
    func noAdapter() async throws {
        for name in ["mesh-chat", "mesh-node", "mesh-radio"] {
            let (lines, status) = try await Self.play(name, [], ["--no-adapter"])
            #expect(lines.count == 1)
            #expect(lines.first?.hasPrefix("\(name): no Bluetooth adapter found") == true)
            #expect(status == 1)
        }
    }

    /// Runs a program over the simulated BlueZ; returns its standard error and exit status.
    private static func play(
        _ name: String,
        _ arguments: [String],
        _ options: [String] = []
    ) async throws -> (lines: [String], status: Int32) {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = tests.deletingLastPathComponent().appending(path: name).path
        return try await runProgram(
            "bluez-simulator",
            options + ["--", program] + arguments,
            isErrorOutput: true
        )
    }
}
