import Bluejay
import BluejayCommandLine
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@testable import BluejayTool

@Suite("The JSON output of bluejay", .timeLimit(.minutes(15)))
struct OutputSchemaTests {
    private static let address = "C0:00:00:00:00:05"

    /// A device with every kind of attribute, value and advertised data.
    private static func box() -> SimulatedDevice {
        let device = SimulatedDevice(address: address, name: "B\u{1B}ox", advertising: ["180D"])
        device.setManufacturerData(0x004C, [2, 0x15])
        device.setServiceData("180F", [80])
        device.setAppearance(0x0341)
        device.addService("180F", [ScriptedCharacteristic("2A19", ["read"], .value([80]))])
        let all = [UInt8](repeating: 255, count: 8)
        device.addService(
            "180D",
            [
                ScriptedCharacteristic(
                    "2A37",
                    ["notify"],
                    .sends([[0x1E, 72, 12, 0, 0x55, 3, 0, 4]], everySeconds: 0.2)
                ),
                ScriptedCharacteristic("2A38", ["read", "write"], .echoes([2])),
                ScriptedCharacteristic("FFE1", ["read", "write"], .echoes(all)),
                ScriptedCharacteristic("FFE1", ["read"], .value([])),
                ScriptedCharacteristic("2A9D", ["read"], .value([0x04, 0xFF, 0xFF, 2])),
            ]
        )
        device.addService(
            "180A",
            [ScriptedCharacteristic("2A29", ["read"], .value(Array("Blue".utf8)))]
        )
        return device
    }

    /// Checks the lines of a run, and returns them.
    private func check(
        _ type: String,
        _ lines: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [String] {
        let schema = try JSONSchema.ofTool()
        let objects = lines.filter { $0.hasPrefix("{") }
        #expect(!objects.isEmpty, "\(lines)", sourceLocation: sourceLocation)
        for object in objects {
            let problems = try schema.problems(in: object)
            #expect(problems == [], "\(object)", sourceLocation: sourceLocation)
            let kind = try JSONValue(object)["type"]
            #expect(kind == .string(type), sourceLocation: sourceLocation)
        }
        return objects
    }

    private static let commands: [(type: String, arguments: [String])] = [
        ("discovery", ["scan", "--for", "5"]), ("adapter", ["adapters"]),
        ("service", ["services", address]), ("value", ["read", address, "2A19"]),
        ("value", ["read", address, "2A38"]), ("value", ["read", address, "FFE1#0"]),
        ("value", ["read", address, "FFE1#1", "--as", "uint"]),
        ("value", ["read", address, "2A9D"]), ("value", ["read", address, "2A29"]),
        ("value", ["read", address, "FFE1#0", "--as", "float64"]),
        ("value", ["listen", address, "2A37", "--count", "3"]),
        ("write", ["write", address, "FFE1#0", "0102"]),
        ("battery", ["battery", address]), ("device", ["info", address]),
        ("recording", ["record", address, "/dev/null", "--for", "1"]),
        ("pairing", ["pair", address]), ("forgotten", ["forget", address]),
        ("finding", ["doctor"]),
    ]

    @Test("Each line of the commands of a client matches the schema")
    func client() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            for (type, arguments) in Self.commands {
                let program = try await stage.begin(arguments + ["--json"])
                try await wait { program.status != nil }
                _ = try check(type, program.lines)
            }
        }
    }

    @Test("Each line of uart matches the schema")
    func uart() async throws {
        let device = SimulatedDevice(address: Self.address, name: "Port")
        let values = [TimedValue(at: .zero, Array("hello\n".utf8))]
        device.addService(
            "6E400001-B5A3-F393-E0A9-E50E24DCCA9E",
            [
                ScriptedCharacteristic(
                    "6E400002-B5A3-F393-E0A9-E50E24DCCA9E",
                    ["write"],
                    .value([])
                ),
                ScriptedCharacteristic(
                    "6E400003-B5A3-F393-E0A9-E50E24DCCA9E",
                    ["notify"],
                    .replays(values, holding: nil)
                ),
            ]
        )
        try await ToolStage.play(.accelerated(), [device]) { stage in
            let outcome = try await stage.shell("true | bluejay uart Port --json --linger 3")
            #expect(outcome.status == 0)
            let lines = try check("serial", outcome.lines)
            #expect(try JSONValue(lines[0])["value"] == .string("68656c6c6f0a"))
        }
    }

    @Test("Each packet of a channel matches the schema")
    func channel() async throws {
        let device = SimulatedDevice(address: Self.address, name: "Pipe")
        device.serveChannels(on: 0x80, .echo)
        try await ToolStage.play(.accelerated(), [device]) { stage in
            let outcome = try await stage.shell(
                "printf hello | bluejay channel Pipe --psm 0x80 --linger 3 --json"
            )
            #expect(outcome.status == 0)
            let lines = try check("channel", outcome.lines)
            #expect(try JSONValue(lines[0])["value"] == .string("68656c6c6f"))
            #expect(try JSONValue(lines[0])["psm"] == .number(128))
        }
    }

    @Test("Each event of serve matches the schema")
    func serve() async throws {
        let stage = try await RecordingStage()
        let file = #"""
            {"version":1,"name":"Sensor","advertises":["180D"],"services":[
             {"uuid":"180D","characteristics":[
              {"uuid":"2A38","properties":["read","write"],"value":"01"},
              {"uuid":"2A37","properties":["notify"]}]}],
             "notifications":[{"characteristic":"2A37","milliseconds":50,"value":"003c"}]}
            """#
        try stage.write(file, to: "sensor.json")
        let script =
            "connect; read 2A38; write 2A38 02; subscribe 2A37; expect 2A37; unsubscribe 2A37; leave"
        let program = try await RunningProgram(
            "bluez-simulator",
            [
                "--central", script, "--", programPath("bluejay"), "serve",
                stage.path("sensor.json"), "--json",
            ],
            environment: stage.environment
        )
        try await program.wait(for: "central 1: done")
        try await wait {
            program.lines.contains { $0.contains("\"disconnected\"") } || program.status != nil
        }
        _ = await program.end(SIGTERM)
        let lines = try check("serving", program.lines)
        let events = try lines.compactMap { try JSONValue($0)["event"] }
        let expected = [
            "advertising", "connected", "read", "written", "subscribed", "sent", "unsubscribed",
            "disconnected",
        ]
        #expect(events == expected.map { .string($0) })
        let read = try #require(lines.first { $0.contains("\"read\"") })
        #expect(try JSONValue(read)["address"] == .string("C0:FF:EE:00:00:01"))
        #expect(try JSONValue(read)["characteristic"] == .string("2A38"))
        #expect(try JSONValue(read)["service"] == .string("180D"))
    }

    @Test("Every subcommand with --json, and every type of line, is checked")
    func complete() throws {
        let checked = Self.commands.map { $0.arguments[0] } + ["uart", "channel", "serve"]
        let printing = HelpTests.subcommands.filter {
            !["explain", "generate", "inspect", "replay", "shell"].contains($0)
        }
        #expect(Set(checked) == Set(printing))
        let types = Self.commands.map(\.type) + ["serial", "channel", "serving"]
        let file = repositoryFile("Documentation/bluejay-output.schema.json")
        let schema = try JSONValue(String(contentsOf: file, encoding: .utf8))
        guard case .array(let kinds) = schema["oneOf"] else {
            Issue.record("the schema has no kinds")
            return
        }
        let references = Set(types).map { JSONValue.string("#/$defs/\($0)Line") }
        #expect(kinds.count == references.count)
        #expect(references.allSatisfy { kinds.contains(.object(["$ref": $0])) })
    }

    @Test("A line names the device, the attribute with its handle, and the meaning of the bytes")
    func keys() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let value = try await stage.run("read", Self.address, "2A38", "--json").lines[0]
            let handle = try #require(value.firstMatch(of: #/"handle":(\d+)/#)?.1)
            #expect(
                withoutTime(value)
                    == #"{"address":"\#(Self.address)","characteristic":"2A38","#
                    + #""characteristicName":"Body Sensor Location","handle":\#(handle),"#
                    + #""instance":0,"name":"B\u001box","number":2,"service":"180D","#
                    + #""serviceInstance":0,"text":"wrist","type":"value","value":"02"}"#
            )
            let services = try await stage.run("services", Self.address, "--json").lines
            #expect(
                services.contains {
                    $0.contains(#""characteristic":"2A38","#)
                        && $0.contains(#""handle":\#(handle),"instance":0,"#)
                }
            )
            // bluetoothd reserves the Battery service for itself.
            let battery = try await stage.run("read", Self.address, "2A19", "--json").lines[0]
            #expect(try JSONValue(battery)["number"] == .number(80))
            #expect(try JSONValue(battery)["handle"] == nil)
            let second = try await stage.run("read", Self.address, "FFE1#1", "--json").lines[0]
            #expect(try JSONValue(second)["instance"] == .number(1))
            #expect(try JSONValue(second)["value"] == .string(""))
        }
    }

    @Test("A 64-bit integer is exact, and --as hex prints only the bytes")
    func exact() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let read = ["read", Self.address, "FFE1#0", "--json", "--as"]
            for (format, number) in [("uint", "18446744073709551615"), ("int64", "-1")] {
                let program = try await stage.begin(read + [format])
                try await wait { program.status != nil }
                #expect(program.lines[0].contains(#""number":\#(number),"#))
                #expect(program.lines[0].contains(#""value":"ffffffffffffffff""#))
            }
            let hex = try await stage.run("read", Self.address, "2A19", "--json", "--as", "hex")
            let object = try JSONValue(hex.lines[0])
            #expect(object["value"] == .string("50"))
            #expect(object["number"] == nil)
            let nan = try await stage.run(
                "read",
                Self.address,
                "FFE1#0",
                "--json",
                "--as",
                "float64"
            )
            #expect(try JSONValue(nan.lines[0])["text"] == .string("not a number"))
            #expect(try JSONValue(nan.lines[0])["number"] == nil)
        }
    }

    @Test("For a value that does not fit the format, the line has the bytes, and the command fails")
    func misfit() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let read = ["read", Self.address, "2A38", "--json", "--as", "float32"]
            let program = try await stage.begin(read)
            try await wait { program.status != nil }
            #expect(program.status == 1)
            let object = try JSONValue(check("value", program.lines)[0])
            #expect(object["value"] == .string("02"))
            #expect(object["number"] == nil && object["text"] == nil)
            #expect(
                program.lines.last
                    == "bluejay: a value of 1 byte cannot be shown as float32, which has 4 bytes; "
                    + "use --as hex"
            )
        }
    }

    @Test("A discovery has the appearance, and fields have keys in lower camel case")
    func details() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let scan = try await stage.run("scan", "--for", "5", "--json").lines[0]
            #expect(try JSONValue(scan)["appearance"] == .number(833))
            #expect(try JSONValue(scan)["appearanceName"] == .string("Heart Rate Belt"))
            let heart = try await stage.run(
                "listen",
                Self.address,
                "2A37",
                "--json",
                "--count",
                "1"
            ).lines[0]
            let fields = try #require(JSONValue(heart)["fields"])
            #expect(fields["heartRate"]?["value"] == .number(72))
            #expect(fields["heartRate"]?["unit"] == .string("bpm"))
            #expect(fields["contact"]?["text"] == .string("contact"))
            #expect(fields["energy"]?["value"] == .number(12))
            let intervals = fields["rrIntervals"]?["values"]
            #expect(intervals == .array([.number(853.0 / 1024), .number(1)]))
        }
    }

    @Test("A discovery has the transmit power")
    func power() throws {
        let row = ScanRow(
            ScanDiscovery(
                peripheralIdentifier: device("Box"),
                advertisement: Advertisement(localName: "Box", txPower: -4),
                rssi: 127
            )
        )
        let line = try JSONLines().line(
            OutputRecord(time: Date(), device: row.outputDevice, content: DiscoveryJSON(row))
        )
        #expect(try JSONSchema.ofTool().problems(in: line) == [])
        #expect(try JSONValue(line)["txPower"] == .number(-4))
        #expect(try JSONValue(line)["rssi"] == nil)
    }

    @Test("record refuses --json for a file on standard output")
    func refused() async throws {
        let outcome = try await runProgram(
            "bluejay",
            ["record", "Box", "-", "--json"],
            isErrorOutput: true
        )
        #expect(outcome.status == 64)
        #expect(outcome.lines.first == "Error: --json cannot be combined with the file -")
    }
}
