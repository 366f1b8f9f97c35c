import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

/// Tests `Inspector`, `InspectedDevice`, `DeviceScanner` and `TerminalScreen`.
@Suite(
    "The inspector on a terminal, in tmux",
    .enabled(if: TerminalWindow.canOpen, "tmux is not installed here"),
    .timeLimit(.minutes(15)),
    .serialized
)
struct InspectorTests {
    private static let address = "C0:00:00:00:00:05"
    private static let size = TerminalWindow.Size(columns: 80, rows: 24)

    /// A device that notifies three numbers after a subscription.
    private static func box(_ name: String = "Box") -> SimulatedDevice {
        let box = SimulatedDevice(address: address, name: name, advertising: ["180D"])
        let values = [60, 90, 75].enumerated().map { index, beats in
            TimedValue(at: .milliseconds(20 * index), [0, UInt8(beats)])
        }
        box.addService(
            "FFE0",
            [ScriptedCharacteristic("FFE1", ["read", "write"], .echoes([7]))]
        )
        box.addService(
            "180D",
            [
                ScriptedCharacteristic("2A38", ["read"], .value([1])),
                ScriptedCharacteristic("2A37", ["notify"], .replays(values, holding: nil)),
            ]
        )
        return box
    }

    /// Replaces the strength, its history and the ages, which vary.
    private static func masked(_ lines: [String]) -> [String] {
        lines.map { line in
            line.replacing(/-55 .*/, with: "-55 #")
                .replacing(/^age( +)[0-9]+ s$/) { "age\($0.1)# s" }
                .replacing(/^[0-9]+ s ago +/, with: "# s ago   ")
        }
    }

    private static func check(
        _ name: String,
        _ size: TerminalWindow.Size,
        _ window: TerminalWindow
    ) async throws {
        try StoredScreen.check(masked(try await window.lines()), "inspector-\(name)", size)
    }

    private static func writes(_ stage: ToolStage) async -> [[UInt8]] {
        await stage.system.read { $0.device(address)?.writes.map(\.value) ?? [] } ?? []
    }

    /// Waits until a row begins with a text.
    private static func wait(for row: String, _ window: TerminalWindow) async throws {
        try await window.wait { lines in lines.contains { $0.hasPrefix(row) } }
    }

    /// Opens the box.
    private static func connect(_ window: TerminalWindow) async throws {
        try await wait(for: "> Box", window)
        try await window.press("Enter")
        try await wait(for: "> 1801 Generic Attribute", window)
    }

    @Test("Each page matches its stored screen", arguments: TerminalWindow.Size.all)
    func screens(_ size: TerminalWindow.Size) async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            try await TerminalWindow.open("", size, stage) { window in
                try await Self.wait(for: "> Box", window)
                try await Self.check("devices", size, window)
                try await Self.connect(window)
                #expect(await stage.isConnected(Self.address))
                try await window.press("R")
                try await window.wait(for: "0000", count: 2)
                try await window.press("G", "k")
                try await Self.wait(for: "> └─ 2A37", window)
                try await Self.check("device", size, window)
                try await window.press("n", "Enter")
                try await window.wait(for: "3, listening")
                try await Self.check("attribute", size, window)
                try await window.press("Escape", "k", "k", "k", "w", "01ff", "Enter")
                try await window.wait(for: "y/N")
                try await Self.check("write", size, window)
                try await window.press("n")
                try await window.wait(for: "nothing was written")
                #expect(await Self.writes(stage) == [])
                try await window.press("w", "2a", "Enter", "y")
                try await window.wait(for: "wrote 1 byte to FFE1")
                #expect(await Self.writes(stage) == [[0x2A]])
                try await window.press("?")
                try await window.wait(for: "any key")
                try await Self.check("keys", size, window)
                try await window.press("x", "Escape")
                try await TestSupport.wait { await !stage.isConnected(Self.address) }
                try await Self.wait(for: "> Box", window)
                try await window.press("q")
                try await window.wait(for: "ended with 0")
                #expect(try await window.lines() == ["ended with 0"])
            }
        }
    }

    // MARK: The terminal

    /// Runs the inspector between two looks at the settings of the terminal.
    private static func withSettings(
        _ arguments: String,
        _ stage: ToolStage,
        _ body: (TerminalWindow) async throws -> Void
    ) async throws {
        let script =
            "echo before; trap : INT HUP; stty -a >first; "
            + "sh -c 'echo $$ >pid; exec \"\(programPath("bluejay"))\" \(arguments)'; "
            + "echo \"ended with $?\"; stty -a >second; cmp first second && echo same; "
            + "exec sleep 60"
        try await TerminalWindow.open(script: script, size, stage, body)
    }

    @Test(
        "Ctrl-C and signals restore the terminal and disconnect",
        arguments: ["INT", "TERM", "HUP"]
    )
    func signals(name: String) async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            try await Self.withSettings("", stage) { window in
                try await Self.connect(window)
                if name == "INT" {
                    try await window.press("C-c")
                } else {
                    _ = try await stage.shell("kill -\(name) $(cat $XDG_STATE_HOME/pid)")
                }
                let status = ["INT": 130, "TERM": 143, "HUP": 129][name] ?? 0
                try await window.wait(for: "same")
                #expect(try await window.lines() == ["before", "ended with \(status)", "same"])
                try await TestSupport.wait { await !stage.isConnected(Self.address) }
            }
        }
    }

    @Test("Ctrl-Z gives the terminal to the shell, and fg shows the inspector again")
    func suspension() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let script = "PS1=ready: exec bash --norc -i"
            try await TerminalWindow.open(script: script, Self.size, stage) { window in
                try await window.wait(for: "ready:")
                try await window.press(programPath("bluejay"), "Enter")
                try await Self.wait(for: "> Box", window)
                try await window.press("C-z")
                try await window.wait(for: "Stopped")
                try await window.press("echo a$((1+1))b", "Enter")
                try await window.wait(for: "a2b")
                try await window.press("fg", "Enter")
                try await Self.wait(for: "> Box", window)
                try await window.press("q")
                try await window.wait(for: "a2b")
            }
        }
    }

    @Test("The inspector follows the size of its window, down to a sentence")
    func resize() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            try await TerminalWindow.open("", Self.size, stage) { window in
                try await window.wait(for: "AGE s")
                try await window.resize(.init(columns: 40, rows: 15))
                try await window.wait { lines in
                    lines.count == 15 && !lines.contains { $0.contains("AGE s") }
                }
                try await window.resize(.init(columns: 20, rows: 5))
                try await window.wait(for: "window is too")
                try await window.resize(Self.size)
                try await window.wait(for: "AGE s")
                try await window.press("q")
                try await window.wait(for: "ended with 0")
            }
        }
    }

    @Test("Without UTF-8 every character is ASCII")
    func plainLocale() async throws {
        try await ToolStage.play(.accelerated(), [Self.box("B\u{F6}x")]) { stage in
            let script = "LC_ALL=C '\(programPath("bluejay"))'; exec sleep 60"
            try await TerminalWindow.open(script: script, Self.size, stage) { window in
                try await Self.wait(for: "> B?x", window)
                try await window.press("Enter")
                try await window.wait(for: "|- 2A05 Service Changed")
                let text = try await window.lines().joined()
                #expect(text.allSatisfy { $0.isASCII })
            }
        }
    }

    @Test("No control code of a device's name reaches the terminal")
    func hostileName() async throws {
        try await ToolStage.play(.accelerated(), [Self.box("B\u{1B}[2Jo\u{9B}x")]) { stage in
            try await TerminalWindow.open("", Self.size, stage) { window in
                try await Self.wait(for: "> B\u{FFFD}[2Jo\u{FFFD}x", window)
            }
        }
    }

    @Test("Without a usable terminal, bluejay prints its help")
    func help() async throws {
        try await ToolStage.play { stage in
            let help = try await stage.run("--help")
            #expect(try await stage.run() == help)
            for setting in ["TERM=dumb", "TERM=unknown-terminal", "TERM="] {
                let script = "\(setting) '\(programPath("bluejay"))'; echo ended with $?"
                try await TerminalWindow.open(
                    script: script + "; exec sleep 60",
                    Self.size,
                    stage
                ) { window in
                    try await window.wait(for: "ended with 0")
                    let lines = try await window.lines(withPast: true)
                    #expect(lines.contains { $0.hasPrefix("USAGE: bluejay") }, "\(lines)")
                }
            }
        }
    }

    @Test("The subcommand without a terminal ends with 64 and the reason")
    func pipe() async throws {
        try await ToolStage.play { stage in
            let outcome = try await stage.run("inspect")
            #expect(outcome.status == 64)
            let text = outcome.lines.joined(separator: " ")
            #expect(text.contains("the inspector needs a terminal for its input and its output"))
        }
    }

    // MARK: Bluetooth

    @Test("A device as an argument is opened first, and a missing one ends with 3")
    func argument() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            try await TerminalWindow.open("inspect Box", Self.size, stage) { window in
                try await Self.wait(for: "> 1801 Generic Attribute", window)
                try await window.press("q")
                try await window.wait(for: "ended with 0")
                try await TestSupport.wait { await !stage.isConnected(Self.address) }
            }
            let missing = "inspect Nobody --timeout 1"
            try await TerminalWindow.open(missing, Self.size, stage) { window in
                try await window.wait(for: "ended with 3")
            }
        }
    }

    @Test("A lost link is shown, and Enter connects again")
    func lostLink() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            try await TerminalWindow.open("", Self.size, stage) { window in
                try await Self.connect(window)
                await stage.system.perform { $0.device(Self.address)?.dropLink() }
                try await window.wait(for: "not connected")
                try await window.press("Enter")
                try await window.wait { $0.first?.hasSuffix("  connected") == true }
                #expect(await stage.isConnected(Self.address))
            }
        }
    }

    @Test("The inspector continues after bluetoothd has ended, and after Bluetooth was off")
    func unavailable() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            try await TerminalWindow.open("", Self.size, stage) { window in
                try await Self.wait(for: "> Box", window)
                await stage.system.perform { $0.setPowered(false, ofAdapter: 0) }
                try await window.wait(for: "switched off")
                await stage.system.perform { $0.setPowered(true, ofAdapter: 0) }
                try await window.wait(for: "scanning")
                await stage.system.terminateDaemon()
                try await window.wait(for: "is not running")
                try await stage.system.startDaemon(.accelerated())
                try await window.wait(for: "scanning")
                try await window.press("q")
                try await window.wait(for: "ended with 0")
            }
        }
    }

    @Test("A link of another program stays when the inspector closes the device")
    func sharedLink() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let other = try await stage.begin(["listen", "Box", "2A37"])
            try await TestSupport.wait { await stage.isConnected(Self.address) }
            try await TerminalWindow.open("", Self.size, stage) { window in
                try await Self.connect(window)
                try await window.press("Escape")
                try await window.wait(for: "linked")
                try await window.press("q")
                try await window.wait(for: "ended with 0")
                #expect(await stage.isConnected(Self.address))
            }
            #expect(await other.end(SIGINT) == 130)
        }
    }

    @Test("A typed passkey pairs, and a declined request is reported")
    func pairing() async throws {
        var options = SimulatorOptions.accelerated()
        options.timeScale = 1
        try await ToolStage.play(options, [.passkeyLock()]) { stage in
            try await TerminalWindow.open("inspect Lock", Self.size, stage) { window in
                try await Self.wait(for: "> 1801", window)
                try await window.press("p", "n", "p", "y")
                try await window.wait(for: "enter the passkey")
                try await window.press("Escape")
                try await window.wait(for: "pair")
                try await window.wait { !$0.contains { $0.contains("enter the passkey") } }
                try await window.wait { $0.contains { $0.contains("rejected") } }
                try await window.press("p", "y")
                try await window.wait(for: "enter the passkey")
                try await window.press("123456", "Enter")
                try await window.wait(for: "paired with Lock")
                #expect(try await window.lines().first?.hasSuffix(" paired") == true)
            }
        }
    }

    @Test("A recording writes a new file, and leaves an existing file unchanged")
    func recording() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            try await TerminalWindow.open("inspect Box", Self.size, stage) { window in
                try await Self.wait(for: "> 1801", window)
                _ = try await stage.shell("echo mine >$XDG_STATE_HOME/old.json")
                try await window.press("c", "old.json", "Enter")
                try await window.wait(for: "old.json exists; type the name of a new file")
                #expect(try await stage.shell("cat $XDG_STATE_HOME/old.json").lines == ["mine"])
                try await window.press("c", "new.json", "Enter")
                try await window.wait { $0.first?.hasSuffix(" recording") == true }
                try await window.press("c")
                try await window.wait(for: "new.json is written, with ")
                let file = try await stage.shell("cat $XDG_STATE_HOME/new.json")
                #expect(file.lines.contains { $0.contains("\"Box\"") })
                try await window.press("q")
                try await window.wait(for: "ended with 0")
            }
        }
    }
}
