import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite(
    "Completion in real shells, in tmux",
    .enabled(if: TerminalWindow.canOpen, "tmux is not installed here"),
    .timeLimit(.minutes(15)),
    .serialized
)
struct CompletionShellTests {
    struct Shell: CustomStringConvertible, Swift.Sendable {
        let name: String
        /// The interactive call without the files of the user.
        let call: String
        /// The commands that load the generated script, with the prompt `>`.
        let setting: String
        var description: String { name }
    }

    static let shells = allShells.filter { TerminalWindow.isInstalled($0.name) }

    private static let allShells = [
        Shell(
            name: "bash",
            call: "bash --noprofile --norc -i",
            setting: "PS1=\"> \"; bind \"set bell-style none\"; source ./script"
        ),
        Shell(
            name: "zsh",
            call: "zsh -f -i",
            setting: "PS1=\"> \"; autoload -Uz compinit; compinit -D -u; source ./script"
        ),
        Shell(
            name: "fish",
            call: "fish --no-config -i",
            setting: "function fish_prompt; echo -n \"> \"; end; source ./script"
        ),
    ]

    /// Starts a shell that has loaded its script, and clears its screen.
    private static func open(
        _ shell: Shell,
        _ stage: ToolStage,
        _ body: (TerminalWindow) async throws -> Void
    ) async throws {
        let folder = URL(filePath: programPath("bluejay")).deletingLastPathComponent().path
        let script = try await stage.shell(
            "mkdir -p \"$XDG_STATE_HOME\"; "
                + "bluejay --generate-completion-script \(shell.name) >\"$XDG_STATE_HOME\"/script"
        )
        #expect(script == Outcome([]))
        let start =
            "PATH='\(folder)':$PATH; export PATH; exec timeout --foreground 600 \(shell.call)"
        let size = TerminalWindow.Size(columns: 80, rows: 24)
        try await TerminalWindow.open(script: start, size, stage) { window in
            try await window.press(shell.setting, "Enter", "clear; echo loaded", "Enter")
            try await window.wait { $0.first == "loaded" }
            try await body(window)
        }
    }

    private static func clearLine(_ window: TerminalWindow) async throws {
        try await window.press("C-u")
        try await window.wait { $0.last == ">" }
    }

    @Test("A device and its characteristic are completed", arguments: shells)
    func deviceAndCharacteristic(_ shell: Shell) async throws {
        try await ToolStage.play { stage in
            #expect(try await stage.run("services", "Heart Rate Sensor").status == 0)
            try await Self.open(shell, stage) { window in
                try await window.press("bluejay read Hea", "Tab")
                let device = "> bluejay read Heart\\ Rate\\ Sensor"
                try await window.wait { $0.contains { $0.hasPrefix(device) } }
                try await window.press("bod", "Tab")
                try await window.wait { $0.contains("\(device) body-sensor-location") }
                #expect(await !stage.isConnected())
                try await window.press("Enter")
                try await window.wait { $0.contains("chest (1)") }
            }
        }
    }

    @Test("Adapters, formats and services of the last device are completed", arguments: shells)
    func options(_ shell: Shell) async throws {
        try await ToolStage.play { stage in
            #expect(try await stage.run("services", "Heart Rate Sensor").status == 0)
            try await Self.open(shell, stage) { window in
                for (typed, completed) in [
                    ("scan --adapter hc", "hci0"), ("scan --service dev", "device-information"),
                    ("read --as heart", "heart-rate"),
                ] {
                    try await window.press("bluejay \(typed)", "Tab")
                    let option = typed.split(separator: " ").dropLast().joined(separator: " ")
                    let expected = "> bluejay \(option) \(completed)"
                    try await window.wait { $0.contains { $0.hasPrefix(expected) } }
                    try await Self.clearLine(window)
                }
            }
        }
    }

    @Test("A name that a shell would execute is offered as the address", arguments: shells)
    func hostileName(_ shell: Shell) async throws {
        let device = SimulatedDevice(
            address: "C0:00:00:00:00:07",
            name: "$(touch owned)`touch owned`;touch owned"
        )
        try await ToolStage.play(.accelerated(), [device]) { stage in
            #expect(try await stage.run("pair", "C0:00:00:00:00:07").status == 0)
            try await Self.open(shell, stage) { window in
                try await window.press("bluejay info C", "Tab")
                try await window.wait {
                    $0.contains { $0.hasPrefix("> bluejay info C0-00-00-00-00-07") }
                }
                try await Self.clearLine(window)
                try await window.press("bluejay info ", "Tab")
                try await window.wait(for: "C0-00-00-00-00-07")
            }
            let files = try FileManager.default.contentsOfDirectory(atPath: stage.stateHome.path)
            #expect(!files.contains("owned"), "\(files)")
        }
    }

    @Test("Nothing is offered for the characteristics of another device", arguments: shells)
    func otherDevice(_ shell: Shell) async throws {
        try await ToolStage.play { stage in
            #expect(try await stage.run("services", "Heart Rate Sensor").status == 0)
            try await Self.open(shell, stage) { window in
                try await window.press("bluejay read Lamp body", "Tab", "x")
                try await window.wait { $0.contains { $0.hasPrefix("> bluejay read Lamp bodyx") } }
            }
        }
    }
}
