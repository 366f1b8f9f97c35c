import BluejayCommandLine
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@testable import BluejayTool

/// Tests `Console`, `Terminal` and the layouts.
@Suite("bluejay on odd terminals", .timeLimit(.minutes(15)))
struct OddTerminalTests {
    private static let address = "C0:00:00:00:00:05"

    /// A box whose name, description and value try to control a terminal.
    private static func box() -> SimulatedDevice {
        let title = "\u{1B}]0;title\u{07}"
        let device = SimulatedDevice(
            address: address,
            name: "B\u{1B}]0;é鳥🐦\u{07}",
            advertising: ["FFE0"]
        )
        let text = Array(
            "\(title)long, so long that no narrow terminal shows it\u{202E}\u{9B}2J".utf8
        )
        device.addService(
            "FFE0",
            [
                ScriptedCharacteristic(
                    "FFE1",
                    ["read"],
                    .value(text),
                    descriptors: [("2901", text)]
                ),
                ScriptedCharacteristic("FFE2", ["notify"], .sends([[1], [2]], everySeconds: 0.1)),
            ]
        )
        device.addService("180F", [ScriptedCharacteristic("2A19", ["read"], .value([80]))])
        return device
    }

    private struct Command {
        let arguments: String
        var status: Int32 = 0
        /// Whether each line is fitted to the terminal; values, JSON and files are never cut.
        var isFitted = true
        /// Whether the subcommand writes to standard output.
        var prints = true
    }

    private static let commands = [
        Command(arguments: "scan --for 1"),
        Command(arguments: "scan --for 1 --json", isFitted: false),
        Command(arguments: "adapters"),
        Command(arguments: "services \(address)"),
        Command(arguments: "info \(address)", isFitted: false),
        Command(arguments: "battery \(address)"),
        Command(arguments: "read \(address) FFE1", isFitted: false),
        Command(arguments: "read \(address) FFE1 --as text", isFitted: false),
        Command(arguments: "listen \(address) FFE2 --count 2", isFitted: false),
        Command(arguments: "listen \(address) FFE2 --as uint8 --count 2 --plot"),
        Command(arguments: "record \(address) - --for 0.2", isFitted: false),
        Command(arguments: "serve box.json --for 2", isFitted: false),
        Command(arguments: "help", isFitted: false),
        Command(arguments: "help listen", isFitted: false),
        Command(arguments: "--version", isFitted: false),
        Command(arguments: "shell \(address) <lines", isFitted: false),
        Command(
            arguments: "services Nobody --timeout 0.1",
            status: 3,
            isFitted: false,
            prints: false
        ),
        Command(arguments: "sevices", status: 64, isFitted: false, prints: false),
    ]

    @Test(
        "Each subcommand prints neither garbage nor controls of a peer",
        arguments: OddTerminal.all
    )
    func all(terminal: OddTerminal) async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let folder = stage.stateHome
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(#"{"version": 1, "name": "Box", "advertises": ["FFE0"]}"#.utf8)
                .write(to: folder.appending(path: "box.json"))
            try Data("services\nread FFE1\nhelp\n".utf8).write(to: folder.appending(path: "lines"))
            for command in Self.commands {
                let file = folder.appending(path: "output").path
                let line = terminal.command(command.arguments, to: file)
                let outcome = try await outcome(
                    of: ["bash", "-c", "cd '\(folder.path)'; \(line)"],
                    environment: stage.environment
                )
                let bytes = try Data(contentsOf: URL(filePath: file))
                let status = command.prints ? terminal.status ?? command.status : command.status
                let title = "\(command.arguments): \(String(decoding: bytes, as: UTF8.self))"
                #expect(outcome.status == status, "\(title)")
                Self.check(bytes, of: command, on: terminal)
            }
        }
    }

    private static func check(_ bytes: Data, of command: Command, on terminal: OddTerminal) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            Issue.record("\(command.arguments): the output is not UTF-8: \(bytes.map { $0 })")
            return
        }
        #expect(!text.contains("Fatal error"), "\(command.arguments): \(text)")
        var plain = text
        if terminal.hasStyles { plain.replace(#/\u{1B}\[[0-9;]*[mKJAH]/#, with: "") }
        for scalar in plain.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where scalar == "\n" || scalar == "\t": break
            case .control where scalar == "\r" && terminal.size != nil: break
            case .control, .format, .lineSeparator, .paragraphSeparator:
                Issue.record(
                    "\(command.arguments): U+\(String(scalar.value, radix: 16)) in \(text)"
                )
                return
            default: break
            }
        }
        // A terminal without a size counts as one of 80 columns; a dumb one is like a pipe.
        guard command.isFitted, terminal.hasStyles, let columns = terminal.size?.columns,
            columns != 1
        else { return }
        for line in plain.split(whereSeparator: \.isNewline) {
            let width = String(line).displayWidth
            #expect(width <= (columns == 0 ? 80 : columns), "\(command.arguments): \(line)")
        }
    }
}
