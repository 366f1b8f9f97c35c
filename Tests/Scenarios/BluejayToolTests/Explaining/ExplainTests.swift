import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

/// Tests `Recording`, `ProgramMonitor` and `MessageParser`.
@Suite("bluejay explain", .timeLimit(.minutes(15)))
struct ExplainTests {
    private static let sensor = "Heart Rate Sensor"

    private static func explain(
        _ stage: ToolStage,
        _ arguments: [String],
        status: Int32 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ExplainedCommand {
        let program = try await stage.begin(["explain"] + arguments)
        try await wait { program.status != nil }
        #expect(program.status == status, "\(program.lines)", sourceLocation: sourceLocation)
        return ExplainedCommand(program.lines)
    }

    @Test(
        "A read has the rows of its parts, and the disconnect is the longest",
        arguments: [[], ["--"]]
    )
    func read(separator: [String]) async throws {
        try await ToolStage.play { stage in
            let arguments = ["explain"] + separator + ["read", Self.sensor, "2A38"]
            let program = try await stage.begin(arguments)
            try await wait { program.status != nil }
            #expect(program.status == 0)
            let explained = ExplainedCommand(program.lines)
            #expect(explained.output == ["chest (1)"])
            #expect(
                explained.texts == [
                    "start: ok", "scan of hci0: ok",
                    "  bluetoothd: Heart Rate Sensor: first advertisement",
                    "connect to Heart Rate Sensor: ok",
                    "service discovery of Heart Rate Sensor: ok",
                    "read of 2A38 of Heart Rate Sensor: ok",
                    "disconnect from Heart Rate Sensor: ok",
                ]
            )
            #expect(explained.sentences.count == 1)
            #expect(explained.sentences.first?.hasPrefix("Longest part: ") == true)
        }
    }

    @Test("The table is on standard error, and standard output has the value only")
    func streams() async throws {
        try await ToolStage.play { stage in
            let outcome = try await stage.shell(
                "bluejay explain read 'Heart Rate Sensor' 2A38 2>/dev/null"
            )
            #expect(outcome == Outcome(["chest (1)"]))
        }
    }

    @Test("A device that is not found keeps status 3, and the scan has the row with the time")
    func missing() async throws {
        try await ToolStage.play { stage in
            let explained = try await Self.explain(
                stage,
                ["read", "Nobody", "2A38", "--timeout", "2"],
                status: 3
            )
            #expect(explained.output.first?.contains("\"Nobody\" not found") == true)
            #expect(explained.texts.first == "start: ok")
            let scan = explained.rows.first { $0.what == "scan of hci0" }
            #expect(scan?.took.contains(#/^(1\.9|[2-9]\.)/#) == true, "\(explained.rows)")
            #expect(explained.sentences.count == 1)
        }
    }

    @Test("A link that is lost during the discovery fails the discovery")
    func lostLink() async throws {
        let silent = SimulatedDevice.heartRateSensor()
        silent.answersDiscovery = false
        try await ToolStage.play(.accelerated(), [silent]) { stage in
            let program = try await stage.begin(["explain", "services", Self.sensor])
            try await wait { await stage.isConnected() }
            await stage.system.perform {
                $0.device(SimulatedDevice.HeartRateSensor.address)?.dropLink()
            }
            await stage.system.perform {
                $0.device(SimulatedDevice.HeartRateSensor.address)?.leaveRange()
            }
            try await wait { program.status != nil }
            #expect(program.status != 0)
            let explained = ExplainedCommand(program.lines)
            let discovery = "service discovery of Heart Rate Sensor: the link ended"
            #expect(explained.contains(discovery), "\(program.lines)")
            #expect(explained.contains("  bluetoothd: Heart Rate Sensor: disconnected"))
        }
    }

    @Test("Ctrl-C during a held read prints the table, with the unfinished read")
    func interrupted() async throws {
        try await ToolStage.play { stage in
            let address = SimulatedDevice.HeartRateSensor.address
            await stage.system.perform { $0.device(address)?.hold(.read, of: "2A38") }
            let program = try await stage.begin(["explain", "read", Self.sensor, "2A38"])
            try await wait {
                let count = await stage.system.read {
                    $0.device(address)?.heldCount(.read, of: "2A38")
                }
                return count == 1 || program.status != nil
            }
            let status = await program.end(SIGINT)
            #expect(status == 130)
            let explained = ExplainedCommand(program.lines)
            let read = explained.texts.first { $0.hasPrefix("read of 2A38 of Heart Rate Sensor") }
            #expect(read != nil && read?.hasSuffix(": ok") == false, "\(program.lines)")
            let sentence = explained.sentences.first ?? ""
            #expect(sentence.hasPrefix("Read of 2A38 of Heart Rate Sensor "), "\(sentence)")
        }
    }

    @Test("The end of bluetoothd is a row, and the reason of the failure")
    func daemonEnds() async throws {
        try await ToolStage.play { stage in
            let program = try await stage.begin(["explain", "listen", Self.sensor, "2A37"])
            try await program.wait(for: "60 bpm")
            await stage.system.perform { $0.apply(.daemonKilled) }
            try await wait { program.status != nil }
            #expect(program.status == 2)
            let explained = ExplainedCommand(program.lines)
            #expect(explained.contains("  bluetoothd: left the bus"), "\(program.lines)")
            #expect(
                explained.contains(
                    "notifications of 2A37 of Heart Rate Sensor: bluetoothd left the bus"
                )
            )
        }
    }

    @Test("A link that another program requested is not one of this command")
    func otherProgramConnects() async throws {
        let lamp = SimulatedDevice(
            address: "C0:00:00:00:00:07",
            name: "Lamp",
            advertising: ["FFE0"]
        )
        let devices = [SimulatedDevice.heartRateSensor(), lamp]
        try await ToolStage.play(.accelerated(), devices) { stage in
            // bluetoothd knows the lamp as long as it receives its advertisements.
            await stage.system.perform { $0.apply(.otherProgramScans(true)) }
            let program = try await stage.begin(["explain", "listen", Self.sensor, "2A37"])
            try await program.wait(for: "60 bpm")
            try await wait {
                await stage.system.perform { $0.apply(.otherProgramConnects("C0:00:00:00:00:07")) }
                return await stage.isConnected("C0:00:00:00:00:07")
            }
            try await program.wait(for: "6", count: program.lines.count + 2)
            _ = await program.end(SIGINT)
            let row = "  others: Lamp: connected without a call of this command"
            #expect(ExplainedCommand(program.lines).contains(row), "\(program.lines)")
        }
    }

    @Test("On a bus that permits it, the calls of another program have its name")
    func otherProgramCalls() async throws {
        let lamp = SimulatedDevice(
            address: "C0:00:00:00:00:07",
            name: "Lamp",
            advertising: ["FFE0"]
        )
        let devices = [SimulatedDevice.heartRateSensor(), lamp]
        try await ToolStage.play(.accelerated(), devices) { stage in
            let program = try await stage.begin(["explain", "listen", Self.sensor, "2A37"])
            try await program.wait(for: "60 bpm")
            let other = try await stage.run("services", "Lamp")
            #expect(other.status == 0)
            _ = await program.end(SIGINT)
            let explained = ExplainedCommand(program.lines)
            let call = explained.rows.first { $0.result == "Device1.Connect of Lamp" }
            #expect(call?.what.contains(#/^  bluejay \(\d+\)$/#) == true, "\(program.lines)")
            // The calls of the command itself are no calls of another program.
            #expect(!explained.texts.contains { $0.contains("Device1.Connect of Heart") })
        }
    }

    @Test("The question of a pairing is a row")
    func pairing() async throws {
        try await ToolStage.play(.accelerated(), [.passkeyLock()]) { stage in
            let outcome = try await stage.shell("echo 123456 | bluejay explain pair Lock")
            #expect(outcome.status == 0, "\(outcome.lines)")
            let explained = ExplainedCommand(outcome.lines)
            for row in ["pairing with Lock: ok", "question during pairing: ok"] {
                #expect(explained.contains(row), "\(outcome.lines)")
            }
            #expect(explained.contains("  bluetoothd: Lock: paired"))
        }
    }

    @Test("A script of a shell is explained as a whole, and cannot contain explain")
    func shell() async throws {
        try await ToolStage.play { stage in
            let outcome = try await stage.shell(
                "printf 'read 2A38\\nread 2A38\\n' | bluejay explain shell 'Heart Rate Sensor'"
            )
            #expect(outcome.status == 0, "\(outcome.lines)")
            let reads = ExplainedCommand(outcome.lines).texts.filter { $0.hasPrefix("read of ") }
            #expect(reads.count == 2)
            let nested = try await stage.shell(
                "echo 'explain read 2A38' | bluejay shell 'Heart Rate Sensor'"
            )
            #expect(nested.status == 64)
            #expect(nested.lines.first?.contains("bluejay explain shell <device>") == true)
        }
    }

    static let refused: [([String], String)] = [
        ([], "specify a subcommand"), (["--"], "specify a subcommand"),
        (["replay", "x", "--", "y"], "explain takes a subcommand that uses Bluetooth, not replay"),
        (["doctor"], "explain takes a subcommand that uses Bluetooth, not doctor"),
        (["explain", "scan"], "explain takes a subcommand that uses Bluetooth, not explain"),
        (["raed"], "unknown subcommand raed; did you mean read?"),
        (["--trace", "-", "scan"], "--trace takes a file; standard output is the subcommand's"),
        (["read", "x", "2A38", "--timeout", "0"], "--timeout takes a number of seconds above 0"),
        (["write", "x", "2A38", "zz"], "zz is not pairs of hexadecimal digits"),
    ]

    @Test("A subcommand without Bluetooth and an invalid one give status 64", arguments: refused)
    func refuses(arguments: [String], reason: String) async throws {
        let (lines, status) = try await runProgram(
            "bluejay",
            ["explain"] + arguments,
            isErrorOutput: true
        )
        #expect(status == 64)
        #expect(lines.joined(separator: " ").contains(reason), "\(lines)")
        #expect(ExplainedCommand(lines).rows.isEmpty)
    }

    @Test("The help of the subcommand is its own, and it has no table")
    func help() async throws {
        let (lines, status) = try await runProgram("bluejay", ["explain", "read", "--help"])
        #expect(status == 0)
        #expect(lines.first == "OVERVIEW: Read a value from a device.")
        #expect(ExplainedCommand(lines).rows.isEmpty)
    }

    @Test("BLUEJAY_LOG has its usual effect and format")
    func log() async throws {
        try await ToolStage.play { stage in
            let outcome = try await stage.shell(
                "BLUEJAY_LOG=debug bluejay explain read 'Heart Rate Sensor' 2A38"
            )
            #expect(
                outcome.lines.contains { $0.contains(#/Z debug bluejay\.link: Connect called/#) }
            )
            #expect(!outcome.lines.contains { $0.contains(" trace ") })
            #expect(ExplainedCommand(outcome.lines).contains("start: ok"))
        }
    }

    // MARK: The trace file

    @Test("The trace file is valid, has the spans, and replaces an existing file")
    func trace() async throws {
        try await ToolStage.play { stage in
            try FileManager.default.createDirectory(
                at: stage.stateHome,
                withIntermediateDirectories: true
            )
            let file = stage.stateHome.appending(path: "trace.json")
            try Data("old".utf8).write(to: file)
            let arguments = ["--trace", file.path, "read", Self.sensor, "2A38"]
            _ = try await Self.explain(stage, arguments)
            let trace = try TraceFile(Data(contentsOf: file))
            #expect(trace.problems == [])
            let device = "Heart Rate Sensor (\(SimulatedDevice.HeartRateSensor.address))"
            let track = "bluejay read Heart Rate Sensor 2A38/\(device)"
            let names = trace.bars.filter { $0.track == track }.map(\.name)
            #expect(names.contains("connect to Heart Rate Sensor"))
            #expect(names.contains("read of 2A38 of Heart Rate Sensor"))
            #expect(
                trace.bars.contains { $0.track.hasSuffix("/queue") && $0.name == "read of 2A38" }
            )
            #expect(trace.markers.contains("Heart Rate Sensor: first advertisement"))
        }
    }

    @Test("A trace file that cannot be written is rejected before the subcommand runs")
    func unwritable() async throws {
        for path in ["/nowhere/trace.json", "/proc/trace.json", "/"] {
            let (lines, status) = try await runProgram(
                "bluejay",
                ["explain", "--trace", path, "read", "Nobody", "2A38", "--timeout", "600"],
                isErrorOutput: true
            )
            #expect(status == 1)
            #expect(lines.first?.hasPrefix("bluejay: \(path) cannot be written: ") == true)
        }
    }

    @Test("A full disk is reported after the table with status 1")
    func full() async throws {
        try await ToolStage.play { stage in
            let outcome = try await stage.run(
                "explain",
                "--trace",
                "/dev/full",
                "read",
                Self.sensor,
                "2A38"
            )
            #expect(outcome.status == 1)
            #expect(outcome.lines.first == "chest (1)")
            #expect(outcome.lines.last?.hasPrefix("bluejay: /dev/full cannot be written: ") == true)
        }
    }
}
