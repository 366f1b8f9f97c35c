import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

/// Tests `Shell` and `LineEditor` on a terminal.
@Suite(
    "bluejay shell on a terminal, in tmux",
    .enabled(if: TerminalWindow.canOpen, "tmux is not installed here"),
    .timeLimit(.minutes(15))
)
struct ShellScreenTests {
    private static func box(_ name: String = "Box") -> SimulatedDevice {
        let device = SimulatedDevice(
            address: "C0:00:00:00:00:05",
            name: name,
            advertising: ["FFE0"]
        )
        device.addService(
            "FFE0",
            [
                ScriptedCharacteristic("FFE1", ["read", "write"], .value([7])),
                ScriptedCharacteristic("FFE2", ["notify"], .sends([[1], [2]], everySeconds: 1)),
            ]
        )
        return device
    }

    @Test("Tab completes, arrow keys recall lines, and Ctrl-C ends only the subcommand")
    func keys() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let size = TerminalWindow.Size(columns: 80, rows: 24)
            try await TerminalWindow.open("shell Box", size, stage) { window in
                try await window.wait(for: "Box>")
                try await window.press("rea", "Tab")
                try await window.wait(for: "Box> read")
                try await window.press("FF", "Tab")
                try await window.wait(for: "Box> read FFE")
                try await window.press("Tab")
                try await window.wait(for: "FFE1  FFE2")
                try await window.press("1", "Enter")
                try await window.wait(for: "07")
                try await window.wait(for: "Box>", count: 3)
                try await window.press("Up", "Enter")
                try await window.wait(for: "07", count: 2)
                try await window.press("listen FFE2", "Enter")
                try await window.wait(for: "01")
                try await window.press("C-c")
                try await window.wait(for: "Box>", count: 5)
                try await window.press("discarded", "C-c", "exit", "Enter")
                try await window.wait(for: "ended with 0")
                // The terminal echoes again.
                try await window.press("typed at the end")
                try await window.wait(for: "typed at the end")
                let isConnected = await stage.isConnected("C0:00:00:00:00:05")
                #expect(!isConnected)
            }
        }
    }

    @Test("Ctrl-D ends a shell, and a later shell recalls the lines of an earlier one")
    func history() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let size = TerminalWindow.Size(columns: 40, rows: 15)
            try await TerminalWindow.open("shell Box", size, stage) { window in
                try await window.wait(for: "Box>")
                try await window.press("write FFE1 2A", "Enter")
                try await window.wait(for: "Box>", count: 2)
                try await window.press("C-d")
                try await window.wait(for: "ended with 0")
            }
            let file = stage.stateHome.appending(path: "bluejay/shell-history").path
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect((attributes[.posixPermissions] as? Int) == 0o600)
            try await TerminalWindow.open("shell Box", size, stage) { window in
                try await window.wait(for: "Box>")
                try await window.press("Up")
                try await window.wait(for: "Box> write FFE1 2A")
            }
        }
    }

    @Test("No control code of a device's name reaches the prompt")
    func hostileName() async throws {
        let device = Self.box("Lo\u{1B}[31mck with a name that is longer than a prompt")
        try await ToolStage.play(.accelerated(), [device]) { stage in
            let size = TerminalWindow.Size(columns: 80, rows: 24)
            try await TerminalWindow.open("shell C0:00:00:00:00:05", size, stage) { window in
                try await window.wait(for: "Lo\u{FFFD}[31mck with a name t…>")
                try await window.press("read FFE1", "Enter")
                try await window.wait(for: "07")
            }
        }
    }
}
