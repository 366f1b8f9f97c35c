import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@testable import BluejayTool

@Suite("bluejay on a terminal", .timeLimit(.minutes(15)))
struct TerminalTests {
    private static func run(
        _ line: String,
        _ stage: ToolStage,
        columns: Int = 40,
        rows: Int = 15,
        variables: String = "unset NO_COLOR"
    ) async throws -> [String] {
        let setting = "stty cols \(columns) rows \(rows); export TERM=xterm; \(variables); "
        let terminal = "SHELL=/bin/bash script -qec '\(setting) '\"'$PROGRAM' \(line)\" /dev/null"
        let outcome = try await stage.shell("PROGRAM=\(programPath("bluejay")); " + terminal)
        #expect(outcome.status == 0, "\(outcome.lines)")
        return outcome.lines.map { $0.hasSuffix("\r") ? String($0.dropLast()) : $0 }
    }

    @Test("At 40 columns the service tree is truncated below a bold heading")
    func services() async throws {
        try await ToolStage.play { stage in
            let lines = try await Self.run("services C4:7C:8D:6A:1F:02", stage)
            #expect(
                lines.prefix(4) == [
                    "\u{1B}[1mHeart Rate Sensor (C4:7C:8D:6A:1F:02)\u{1B}[0m",
                    "1801 Generic Attribute", "├─ 2A05 Service Changed  indicate",
                    "│  └─ 2902 Client Characteristic Confi…",
                ]
            )
            #expect(lines.dropFirst().allSatisfy { $0.displayWidth < 40 })
        }
    }

    @Test("NO_COLOR and a dumb terminal disable styles")
    func plain() async throws {
        try await ToolStage.play { stage in
            for variables in ["export NO_COLOR=1", "export TERM=dumb"] {
                let lines = try await Self.run(
                    "services C4:7C:8D:6A:1F:02",
                    stage,
                    variables: variables
                )
                #expect(lines.first == "Heart Rate Sensor (C4:7C:8D:6A:1F:02)")
            }
        }
    }

    @Test("A scan redraws its table in place")
    func scan() async throws {
        try await ToolStage.play { stage in
            let lines = try await Self.run("scan --for 5", stage)
            #expect(lines.first == "looking for devices; Ctrl-C ends it\u{1B}[K")
            let last = lines.suffix(2)
            #expect(
                last.first?.hasSuffix(
                    "\u{1B}[2A\r\u{1B}[1mNAME               SIGNAL dBm  AGE s\u{1B}[0m\u{1B}[K"
                ) == true,
                "\(last)"
            )
            #expect(
                last.last?.wholeMatch(of: /Heart Rate Sensor  ▂▄▆█ -55    [0-9]+\u{1B}\[K/) != nil,
                "\(last)"
            )
        }
    }

    @Test("A scan that ends lists all devices, also those that did not fit the screen")
    func scanOfMany() async throws {
        let names = (10..<50).map { "Lamp \($0)" }
        let lamps = names.enumerated().map { index, name in
            SimulatedDevice(address: "C0:00:00:00:00:\(10 + index)", name: name)
        }
        try await ToolStage.play(.accelerated(), lamps) { stage in
            let lines = try await Self.run("scan --for 6", stage)
            #expect(lines.contains { $0.hasPrefix("… and ") })
            let last = lines.suffix(names.count)
            let shown = last.map { String($0.prefix(7)) }
            #expect(shown.sorted() == names)
        }
    }

    @Test("The listen command shows the time of each value on a terminal only")
    func listenTimes() async throws {
        try await ToolStage.play { stage in
            let line = "listen C4:7C:8D:6A:1F:02 2A37 --count 2"
            let lines = try await Self.run(line, stage)
            let time = /[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{3}  6[01] bpm/
            #expect(lines.count == 2)
            #expect(lines.allSatisfy { $0.wholeMatch(of: time) != nil }, "\(lines)")
            #expect(
                try await stage.shell("bluejay \(line) | cat") == Outcome(["60 bpm", "61 bpm"])
            )
        }
    }

    @Test("A plot is redrawn in place")
    func plot() async throws {
        try await ToolStage.play { stage in
            let lines = try await Self.run("listen C4:7C:8D:6A:1F:02 2A37 --plot --count 3", stage)
            #expect(
                lines.prefix(3) == [
                    "60 ▁\u{1B}[K", "\u{1B}[J\u{1B}[1A\r61 ▁█\u{1B}[K",
                    "\u{1B}[J\u{1B}[1A\r62 ▁▅█\u{1B}[K",
                ]
            )
        }
    }

    @Test("A write in several parts redraws a progress bar in place")
    func progress() async throws {
        let device = SimulatedDevice(
            address: "C0:00:00:00:00:05",
            name: "Box",
            advertising: ["FFE0"]
        )
        device.addService(
            "FFE0",
            [ScriptedCharacteristic("FFE1", ["write"], .value([]))]
        )
        try await ToolStage.play(.accelerated(), [device]) { stage in
            let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(repeating: 1, count: 1300).write(to: file)
            let bar = ProgressBar(total: 1300)
            let drawn = [512, 1024, 1300].map { "\r" + bar.line($0, width: 39) }
            #expect(
                try await Self.run("write Box FFE1 @\(file.path)", stage) == [drawn.joined()]
            )
        }
    }
}
