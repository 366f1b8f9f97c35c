import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite("bluejay read, write and listen", .timeLimit(.minutes(15)))
struct ValueTests {
    private static let address = "C0:00:00:00:00:05"

    /// A device with a writable value, a value written without response, and control characters.
    private static func box() -> SimulatedDevice {
        let device = SimulatedDevice(address: address, name: "Box", advertising: ["FFE0"])
        device.addService(
            "FFE0",
            [
                ScriptedCharacteristic("FFE1", ["read", "write", "notify"], .echoes([7])),
                ScriptedCharacteristic("FFE2", ["write-without-response"], .value([])),
                ScriptedCharacteristic("FFE3", ["read"], .value(Array("\u{1B}[2Jx".utf8))),
            ]
        )
        device.addService(
            "180F",
            [ScriptedCharacteristic("2A19", ["read"], .value([80]))]
        )
        return device
    }

    private static func writes(_ stage: ToolStage) async -> [[UInt8]] {
        await stage.system.read { $0.device(address)?.writes.map(\.value) ?? [] } ?? []
    }

    @Test("A value is read by name or UUID, in the default format or a requested one")
    func read() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            try await stage.check("read", "Box", "battery-level", gives: ["80 %"])
            let note = "bluejay: using the last device, Box (C0:00:00:00:00:05)"
            try await stage.check("read", "2A19", gives: [note, "80 %"])
            try await stage.check("read", "-", "180F/2A19", "--as", "hex", gives: [note, "50"])
            try await stage.check("read", "Box", "FFE1", gives: ["07"])
            try await stage.check("read", "Box", "FFE3", "--as", "text", gives: ["\u{FFFD}[2Jx"])
            let raw = try await stage.shell("bluejay read Box FFE3 --as raw | od -An -tx1")
            #expect(raw == Outcome([" 1b 5b 32 4a 78"]))
            let isConnected = await stage.isConnected(Self.address)
            #expect(!isConnected)
        }
    }

    @Test("Undecodable, unreadable and missing values are reported with a reason")
    func failures() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            try await stage.check(
                "read",
                "Box",
                "FFE1",
                "--as",
                "heart-rate",
                gives: ["bluejay: a value of 1 byte cannot be shown as heart rate; use --as hex"],
                status: 1
            )
            let refused = try await stage.run("read", "Box", "FFE2")
            #expect(refused.status == 1)
            #expect(
                refused.lines.first?.hasPrefix("bluejay: read of FFE2 of Box (C0:00:00:00:00:05): ")
                    == true
            )
            try await stage.check(
                "read",
                "Box",
                "2A37",
                gives: [
                    "bluejay: the device has no characteristic \"2A37\"; "
                        + "`bluejay services` lists them"
                ],
                status: 1
            )
        }
    }

    @Test("A typed value is written once, and a file in several writes")
    func write() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            try await stage.check("write", "Box", "FFE1", "01:02", gives: [])
            try await stage.check("write", "Box", "FFE1", "513", "--as", "uint16", gives: [])
            try await stage.check("write", "Box", "FFE1", "--as", "int8", "--", "-2", gives: [])
            let written = await Self.writes(stage)
            #expect(written == [[1, 2], [1, 2], [254]])

            let file = stage.stateHome.appending(path: "firmware")
            let firmware = (0..<1300).map { UInt8(truncatingIfNeeded: $0) }
            try Data(firmware).write(to: file)
            try await stage.check(
                "write",
                "Box",
                "FFE2",
                "@\(file.path)",
                "--without-response",
                gives: []
            )
            let parts = await Self.writes(stage).dropFirst(3)
            #expect(parts.flatMap { $0 } == firmware)
            #expect(parts.count == 3)
        }
    }

    @Test("Dates, fractions and names are written and read back; an invalid one is not written")
    func meanings() async throws {
        let device = SimulatedDevice(address: Self.address, name: "Clock", advertising: ["1805"])
        device.addService(
            "1805",
            [
                ScriptedCharacteristic("2A08", ["read", "write", "notify"], .echoes([])),
                ScriptedCharacteristic("2A06", ["read", "write"], .echoes([1])),
                ScriptedCharacteristic("FFE1", ["read", "write"], .echoes([])),
            ]
        )
        try await ToolStage.play(.accelerated(), [device]) { stage in
            let date = "2026-11-29 12:30:15"
            try await stage.check("write", "Clock", "2A08", date, "--as", "datetime", gives: [])
            try await stage.check("read", "Clock", "date-time", gives: [date])
            try await stage.check("read", "Clock", "2A06", gives: ["mild alert (1)"])
            try await stage.check(
                "write",
                "Clock",
                "2A06",
                "high-alert",
                "--as",
                "name",
                gives: []
            )
            try await stage.check("read", "Clock", "2A06", gives: ["high alert (2)"])
            try await stage.check("write", "Clock", "FFE1", "36.6", "--as", "sfloat", gives: [])
            try await stage.check("read", "Clock", "FFE1", "--as", "sfloat", gives: ["36.6"])
            try await stage.check("read", "Clock", "FFE1", "--as", "hex", gives: ["6ef1"])
            try await stage.check(
                "read",
                "Clock",
                "FFE1",
                "--as",
                "float",
                gives: [
                    "bluejay: a value of 2 bytes cannot be shown as float, which has 4 bytes; "
                        + "use --as hex"
                ],
                status: 1
            )
            let count = await Self.writes(stage).count
            let refused = [
                ["2A08", "2026-02-30 12:30:15", "datetime"], ["2A06", "loud", "name"],
                ["FFE1", "nan", "float32"], ["FFE1", "1e12", "sfloat"],
            ]
            for words in refused {
                let outcome = try await stage.run(
                    "write",
                    "Clock",
                    words[0],
                    words[1],
                    "--as",
                    words[2]
                )
                #expect(outcome.status == 64)
                #expect(outcome.lines.first?.hasPrefix("Error: \(words[1]) is ") == true)
            }
            #expect(await Self.writes(stage).count == count)
        }
    }

    @Test("write and pair require a device, and write the whole name of a characteristic")
    func wholeNames() async throws {
        let device = SimulatedDevice(address: Self.address, name: "Tag", advertising: ["1802"])
        device.addService("1802", [ScriptedCharacteristic("2A06", ["write"], .value([]))])
        try await ToolStage.play(.accelerated(), [device]) { stage in
            try await stage.check("write", "Tag", "Alert Level", "00", gives: [])
            for arguments in [["write", "Alert", "01"], ["write", "2A06", "01"], ["pair"]] {
                let program = try await stage.begin(arguments)
                try await wait { program.status != nil }
                #expect(program.status == 64)
            }
            let refusal =
                "the device has no characteristic \"Alert\"; `bluejay services` lists them"
            try await stage.check(
                "write",
                "Tag",
                "Alert",
                "01",
                gives: ["bluejay: \(refusal)"],
                status: 1
            )
            let note = "bluejay: using the last device, Tag (\(Self.address))"
            try await stage.check("write", "-", "alert-level", "02", gives: [note])
            #expect(await Self.writes(stage) == [[0], [2]])
        }
    }

    @Test("An invalid value is rejected without a write")
    func mistyped() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let outcome = try await stage.run("write", "Box", "FFE1", "xyz")
            #expect(outcome.status == 64)
            #expect(outcome.lines.first?.contains("not pairs of hexadecimal digits") == true)
            #expect(await Self.writes(stage) == [])
        }
    }

    @Test("Notifications are printed up to a count, as text, hexadecimal digits, plot or JSON")
    func listen() async throws {
        try await ToolStage.play { stage in
            let sensor = ["listen", "Heart Rate Sensor", "heart-rate-measurement", "--count", "3"]
            let words = try await stage.begin(sensor)
            try await wait { words.status != nil }
            #expect(
                Outcome(words.lines, words.status ?? -1) == Outcome(["60 bpm", "61 bpm", "62 bpm"])
            )
            let numbers = try await stage.begin(sensor + ["--as", "hex"])
            try await wait { numbers.status != nil }
            #expect(numbers.lines == ["003c", "003d", "003e"])
            let plot = try await stage.begin(sensor + ["--plot"])
            try await wait { plot.status != nil }
            #expect(plot.lines == ["60 ▁", "61 ▁█", "62 ▁▅█"])
            let objects = try await stage.begin(sensor + ["--json"])
            try await wait { objects.status != nil }
            #expect(
                try objects.lines.map { try JSONValue($0)["number"] }
                    == [.number(60), .number(61), .number(62)]
            )
        }
    }

    @Test("An undecodable notification is reported on standard error, and listening continues")
    func undecodable() async throws {
        let device = SimulatedDevice(address: Self.address, name: "Box", advertising: ["180D"])
        let values: [[UInt8]] = [[0, 60], [1, 60], [0, 61]]
        device.addService(
            "180D",
            [ScriptedCharacteristic("2A37", ["notify"], .sends(values, everySeconds: 0.5))]
        )
        try await ToolStage.play(.accelerated(), [device]) { stage in
            let program = try await stage.begin(["listen", "Box", "2A37", "--count", "2"])
            try await wait { program.status != nil }
            #expect(program.status == 0)
            #expect(
                program.lines == [
                    "60 bpm",
                    "bluejay: a value of 2 bytes cannot be shown as heart rate; use --as hex (013c)",
                    "61 bpm",
                ]
            )
        }
    }

    @Test("A signal ends the listen command and disconnects", arguments: [SIGHUP, SIGINT, SIGTERM])
    func interrupted(signal: Int32) async throws {
        try await ToolStage.play { stage in
            let program = try await stage.begin(["listen", "Heart Rate Sensor", "2A37"])
            try await program.wait(for: "60 bpm")
            var isConnected = await stage.isConnected()
            #expect(isConnected)
            let status = await program.end(signal)
            #expect(status == 128 + signal)
            isConnected = await stage.isConnected()
            #expect(!isConnected)
        }
    }

    @Test("A Ctrl-C that a wrapper such as timeout repeats also disconnects")
    func interruptedThroughWrapper() async throws {
        try await ToolStage.play { stage in
            let line = """
                cd "$(mktemp -d)"; mkfifo values; bluejay='\(programPath("bluejay"))'
                # A shell has what is in the background ignore it.
                setsid env --default-signal=INT \
                    timeout --foreground 600 "$bluejay" listen 'Heart Rate Sensor' 2A37 >values &
                exec 3<values; read -r -u 3 first; kill -INT -- -$!
                echo "$first"; wait $!; echo $?; rm -r "$PWD"
                """
            let outcome = try await stage.shell(line)
            #expect(outcome == Outcome(["60 bpm", "130"]))
            let isConnected = await stage.isConnected()
            #expect(!isConnected)
        }
    }

    @Test("A signal that the parent process ignores does not end the command")
    func ignored() async throws {
        try await ToolStage.play { stage in
            let line = """
                cd "$(mktemp -d)"; mkfifo values; trap '' INT HUP
                '\(programPath("bluejay"))' listen 'Heart Rate Sensor' 2A37 --count 5 >values &
                exec 3<values; read -r -u 3 first; kill -INT $!; kill -HUP $!
                echo "$first"; cat <&3; wait $!; echo $?; rm -r "$PWD"
                """
            let outcome = try await stage.shell(line)
            #expect(outcome == Outcome(["60 bpm", "61 bpm", "62 bpm", "63 bpm", "64 bpm", "0"]))
        }
    }

    /// A device that sends more within a second than a pipe holds.
    private static func chatterbox() -> SimulatedDevice {
        let device = SimulatedDevice(address: address, name: "Box", advertising: ["FFE0"])
        let value = [UInt8](repeating: 7, count: 500)
        device.addService(
            "FFE0",
            [ScriptedCharacteristic("FFE1", ["notify"], .sends([value], everySeconds: 0.002))]
        )
        return device
    }

    @Test("A blocked output does not delay a signal")
    func blockedOutput() async throws {
        try await ToolStage.play(.accelerated(), [Self.chatterbox()]) { stage in
            let line = """
                cd "$(mktemp -d)"; mkfifo pipe; exec 3<>pipe
                timeout --preserve-status -s KILL 120 timeout --preserve-status 3 \
                    '\(programPath("bluejay"))' listen Box FFE1 >pipe
                echo $?; rm -r "$PWD"
                """
            let outcome = try await stage.shell(line)
            #expect(outcome == Outcome(["143"]))
            #expect(await !stage.isConnected(Self.address))
        }
    }

    @Test(
        "With a blocked output, --for disconnects, and only a signal ends the command"
    )
    func blockedLimit() async throws {
        let signal = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        defer { try? FileManager.default.removeItem(at: signal) }
        try await ToolStage.play(.accelerated(), [Self.chatterbox()]) { stage in
            let line = """
                cd "$(mktemp -d)"; mkfifo pipe; exec 3<>pipe
                timeout -s KILL 120 '\(programPath("bluejay"))' listen Box FFE1 --for 3 >pipe & tool=$!
                until [ -e '\(signal.path)' ]; do sleep 0.1; done
                kill -0 $tool && echo waiting
                kill -TERM $tool; wait $tool; echo $?; rm -r "$PWD"
                """
            async let outcome = stage.shell(line)
            try await wait { await stage.isConnected(Self.address) }
            try await wait { await !stage.isConnected(Self.address) }
            try await Task.sleep(for: .seconds(1))
            try Data().write(to: signal)
            #expect(try await outcome == Outcome(["waiting", "143"]))
        }
    }

    /// A device that sends 2,000 numbered values of 180 bytes, more than the pipe and the tool buffer.
    private static func counter() -> SimulatedDevice {
        let device = SimulatedDevice(address: address, name: "Box", advertising: ["FFE0"])
        let values = (0..<2000).map { number in
            let bytes = [UInt8(number >> 8), UInt8(number & 255)] + Array(repeating: 0, count: 178)
            return TimedValue(at: .milliseconds(number), bytes)
        }
        device.addService(
            "FFE0",
            [ScriptedCharacteristic("FFE1", ["notify"], .replays(values, holding: nil))]
        )
        return device
    }

    @Test("A reader that starts after --for receives every value")
    func slowReader() async throws {
        try await ToolStage.play(.accelerated(), [Self.counter()]) { stage in
            let line = """
                cd "$(mktemp -d)"; mkfifo pipe; exec 3<>pipe
                timeout -s KILL 120 '\(programPath("bluejay"))' listen Box FFE1 --as hex --for 6 \
                    >pipe 3>&- &
                tool=$!
                exec 4<pipe 3>&-
                sleep 9
                cut -c 1-4 <&4 | sort -u | wc -l
                wait $tool; echo $?; rm -r "$PWD"
                """
            let outcome = try await stage.shell(line)
            #expect(outcome.lines.suffix(2) == ["2000", "0"])
            #expect(await !stage.isConnected(Self.address))
        }
    }

    @Test("The listen command disconnects after its duration and when its reader closes the pipe")
    func ended() async throws {
        try await ToolStage.play { stage in
            let timed = try await stage.run("listen", "Heart Rate Sensor", "2A37", "--for", "3")
            #expect(timed.status == 0)
            #expect(timed.lines.first == "60 bpm")
            let isConnected = await stage.isConnected()
            #expect(!isConnected)
            let read = try await stage.shell("bluejay listen 'Heart Rate Sensor' 2A37 | head -n 2")
            #expect(read == Outcome(["60 bpm", "61 bpm"]))
            let isStillConnected = await stage.isConnected()
            #expect(!isStillConnected)
        }
    }

    @Test("A lost link ends the listen command with an error")
    func lost() async throws {
        try await ToolStage.play { stage in
            let program = try await stage.begin(["listen", "Heart Rate Sensor", "2A37"])
            try await program.wait(for: "60 bpm")
            await stage.system.perform {
                $0.device(SimulatedDevice.HeartRateSensor.address)?.leaveRange()
            }
            try await wait { program.status != nil }
            #expect(program.status == 1)
            #expect(program.lines.last?.contains("connection lost") == true)
        }
    }
}
