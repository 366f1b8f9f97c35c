import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

/// Tests `OutputQueue`.
@Suite("The output of bluejay", .timeLimit(.minutes(15)))
struct OutputTests {
    private static let address = "C0:00:00:00:00:20"

    private static func box() -> SimulatedDevice {
        let device = SimulatedDevice(address: address, name: "Box", advertising: ["FFE0"])
        device.addService(
            "FFE0",
            [
                ScriptedCharacteristic("FFE1", ["read", "write"], .echoes([7])),
                ScriptedCharacteristic("FFE2", ["notify"], .sends([[1]], everySeconds: 0.1)),
            ]
        )
        device.addService("180F", [ScriptedCharacteristic("2A19", ["read"], .value([80]))])
        device.serveChannels(on: 0x80, .source([[1, 2, 3]]))
        return device
    }

    static let commands = [
        "scan --for 60", "adapters", "services Box", "read Box FFE1",
        "write Box FFE1 01 --json", "listen Box FFE2 --for 60", "listen Box FFE2", "battery Box",
        "info Box", "pair Box", "forget Box", "channel Box --psm 0x80 --linger 60",
        "record Box - --for 1", "doctor --json", "--help", "help read", "--version",
        "--generate-completion-script bash",
    ]

    @Test("Each subcommand fails on a full disk and disconnects", arguments: commands)
    func fullDisk(_ command: String) async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            _ = try await stage.run("read", "Box", "FFE1")
            let input = command.hasPrefix("channel") ? "sleep 5 | " : ""
            let program = "timeout 50 '\(programPath("bluejay"))' \(command)"
            let outcome = try await stage.shell("\(input)\(program) >/dev/full")
            #expect(outcome.status == 1)
            let reason = "bluejay: standard output cannot be written: No space left on device"
            #expect(outcome.lines.last == reason, "\(outcome.lines)")
            #expect(await !stage.isConnected(Self.address))
        }
    }

    @Test("A closed standard output is an error, but a closed pipe is not")
    func closed() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let closed = try await stage.shell("bluejay read Box FFE1 >&-")
            let reason = "bluejay: standard output cannot be written: Bad file descriptor"
            #expect(closed == Outcome([reason], 1))
            let reader = try await stage.shell("bluejay listen Box FFE2 | head -n 1")
            #expect(reader.status == 0)
            #expect(reader.lines.count == 1)
        }
    }
}
