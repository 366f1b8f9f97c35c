import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite("bluejay shell", .timeLimit(.minutes(15)))
struct ShellTests {
    private static let address = "C0:00:00:00:00:05"

    private static func box() -> SimulatedDevice {
        let device = SimulatedDevice(address: address, name: "Box", advertising: ["FFE0"])
        device.addService(
            "FFE0",
            [
                ScriptedCharacteristic("FFE1", ["read", "write"], .value([7])),
                ScriptedCharacteristic("FFE2", ["notify"], .sends([[1], [2]], everySeconds: 1)),
            ]
        )
        return device
    }

    private static func run(_ script: String, _ stage: ToolStage) async throws -> Outcome {
        let file = stage.stateHome.appending(path: "script")
        try FileManager.default.createDirectory(
            at: stage.stateHome,
            withIntermediateDirectories: true
        )
        try Data(script.utf8).write(to: file)
        return try await stage.shell("bluejay shell Box <'\(file.path)'")
    }

    @Test("The lines of a script run as subcommands over one connection")
    func script() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let script = """
                # Reads, writes and reads again.
                read FFE1
                write FFE1 '01 02'   # two bytes

                read - FFE1 --as "hex"
                listen FFE2 --count 2
                """
            let outcome = try await Self.run(script, stage)
            // A lost connection would be reported.
            #expect(outcome == Outcome(["07", "0102", "01", "02"]))
            let isConnected = await stage.isConnected(Self.address)
            #expect(!isConnected)
        }
    }

    @Test("A script ends at the first failure with its exit status")
    func failure() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let missing = try await Self.run("read FFE9\nread FFE1\n", stage)
            let reason = "the device has no characteristic \"FFE9\"; `bluejay services` lists them"
            #expect(missing == Outcome(["bluejay: \(reason)"], 1))
            let invalid = try await Self.run("write FFE1 0\nread FFE1\n", stage)
            #expect(invalid.status == 64)
            #expect(invalid.lines.first?.contains("0 is not pairs of hexadecimal digits") == true)
            let quoted = try await Self.run("write FFE1 '01\n", stage)
            #expect(quoted == Outcome(["bluejay: the line ends inside a quotation"], 64))
        }
    }

    @Test("An empty input ends a shell and a serial port", arguments: ["</dev/null", "< <(:)"])
    func empty(input: String) async throws {
        let port = SimulatedDevice(address: Self.address, name: "Box", advertising: ["FFE0"])
        port.addService(
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
                    .sends([], everySeconds: 1)
                ),
            ]
        )
        try await ToolStage.play(.accelerated(), [port]) { stage in
            for command in ["shell Box", "uart Box --linger 1"] {
                let outcome = try await stage.shell("bluejay \(command) \(input)")
                #expect(outcome.status == 0, "\(outcome.lines)")
            }
        }
    }

    @Test("A shell refuses another shell and another adapter")
    func refused() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let nested = try await Self.run("shell Box\n", stage)
            #expect(nested == Outcome(["bluejay: this is a shell already"], 64))
            let adapter = try await Self.run("read FFE1 --adapter hci1\n", stage)
            #expect(adapter.status == 64)
            #expect(adapter.lines.first?.contains("a shell uses one adapter") == true)
        }
    }

    @Test("After the connection is lost, the next subcommand uses a new one")
    func lostLink() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let program = try await stage.begin(["shell", "Box"])
            program.type("read FFE1")
            try await program.wait(for: "07")
            await stage.system.perform { $0.device(Self.address)?.dropLink() }
            program.type("read FFE1")
            try await program.wait(for: "07", count: 2)
            program.type("exit")
            try await wait { program.status != nil }
            #expect(program.status == 0)
        }
    }

    @Test("Without the device, a subcommand fails with status 3")
    func absent() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let program = try await stage.begin(["shell", "Box"])
            program.type("read FFE1")
            try await program.wait(for: "07")
            await stage.system.perform { $0.device(Self.address)?.leaveRange() }
            try await wait {
                await !stage.isConnected(Self.address)
            }
            program.type("read FFE1 --timeout 2")
            try await wait { program.status != nil }
            #expect(program.status == 3)
            #expect(program.lines.contains("bluejay: not connected; connecting again"))
        }
    }

    @Test("SIGTERM ends a shell, its subcommand and its connection")
    func terminated() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let program = try await stage.begin(["shell", "Box"])
            program.type("listen FFE2")
            try await wait { !program.lines.isEmpty }
            let status = await program.end(SIGTERM)
            #expect(status == 143)
            let isConnected = await stage.isConnected(Self.address)
            #expect(!isConnected)
        }
    }
}
