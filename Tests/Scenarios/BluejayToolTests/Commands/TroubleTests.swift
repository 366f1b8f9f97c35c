import BluejayCore
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@testable import BluejayTool

/// Tests `ToolSession`.
@Suite("Failures of bluejay", .timeLimit(.minutes(15)))
struct TroubleTests {
    @Test("Without Bluetooth the error names the remedy, and the exit status is 2")
    func off() async throws {
        var options = SimulatorOptions.accelerated()
        options.isPowered = false
        try await ToolStage.play(options, []) { stage in
            let words = { (state: BluetoothState) in "bluejay: Bluetooth is not available: \(state)"
            }
            let off = [words(.poweredOff)]
            try await stage.check("scan", gives: off, status: 2)
            try await stage.check("services", "x", gives: off, status: 2)
            try await stage.check(
                "scan",
                "--adapter",
                "hci7",
                gives: [words(.adapterNotFound("hci7"))],
                status: 2
            )
            await stage.system.terminateDaemon()
            try await stage.check("adapters", gives: [words(.serviceNotRunning)], status: 2)
        }
    }

    @Test(
        "Without an adapter each command reports that and exits with 2",
        arguments: ["adapters", "scan", "info"]
    )
    func noAdapter(subcommand: String) async throws {
        var options = SimulatorOptions.accelerated()
        options.adapters = 0
        try await ToolStage.play(options, []) { stage in
            let words = "bluejay: Bluetooth is not available: \(BluetoothState.noAdapter)"
            try await stage.check(subcommand, gives: [words], status: 2)
            try await stage.check(subcommand, "--json", gives: [words], status: 2)
        }
    }

    @Test("A device that is not found within the time limit gives exit status 3")
    func missing() async throws {
        try await ToolStage.play { stage in
            let way = "check that it is on and in range; `bluejay scan` lists the devices"
            try await stage.check(
                "services",
                "Nobody",
                "--timeout",
                "0.5",
                gives: ["bluejay: device \"Nobody\" not found within 0.5 s; \(way)"],
                status: 3
            )
            try await stage.check(
                "services",
                "C0:00:00:00:00:99",
                "--timeout",
                "1",
                gives: ["bluejay: device C0:00:00:00:00:99 not found within 1 s; \(way)"],
                status: 3
            )
            try await stage.check(
                "services",
                gives: ["bluejay: no previous device; specify one"],
                status: 3
            )
        }
    }

    @Test("A silent device specified by its identifier gives exit status 3")
    func silent() async throws {
        try await ToolStage.play { stage in
            let identifier = "C0000000-0099-8101-8062-6C75656A6179"
            let outcome = try await stage.run("services", identifier, "--timeout", "1")
            #expect(outcome.status == 3)
            #expect(outcome.lines.count == 1)
            #expect(outcome.lines.first?.hasPrefix("bluejay: connect to ") == true)
        }
    }

    @Test("The error for a connection rejected by BlueZ contains the text of BlueZ")
    func refused() async throws {
        try await ToolStage.play { stage in
            await stage.system.perform {
                $0.apply(
                    .callsRefused("Connect", name: "org.bluez.Error.Failed", text: "Too many links")
                )
            }
            let outcome = try await stage.run("services", "Heart Rate Sensor")
            #expect(outcome.status == 1)
            let words =
                "the adapter has as many connections as it can hold (Too many links); disconnect "
                + "another device, or use another adapter"
            #expect(outcome.lines.last?.hasSuffix(words) == true, "\(outcome.lines)")
        }
    }

    @Test("Ctrl-C during an unanswered service discovery ends the program but not bluetoothd")
    func interrupted() async throws {
        let silent = SimulatedDevice.heartRateSensor()
        silent.answersDiscovery = false
        // Real time: the program must receive its signal before the 30 s of ATT are over.
        var options = SimulatorOptions.accelerated()
        options.timeScale = 1
        options.kernel = .v6_1_192
        try await ToolStage.play(options, [silent]) { stage in
            let program = try await stage.begin(["services", "Heart Rate Sensor"])
            try await wait { await stage.isConnected() }
            let status = await program.end(SIGINT)
            #expect(status == 130)
            // With this kernel `Disconnect` would end bluetoothd here; the link stays until ATT times out.
            let outcome = try await stage.run("adapters")
            #expect(outcome.status == 0)
        }
    }

    @Test("The connection of another program is used and kept")
    func shared() async throws {
        try await ToolStage.play { stage in
            try await stage.check("read", "Heart Rate Sensor", "2A38", gives: ["chest (1)"])
            await stage.system.perform {
                $0.apply(.otherProgramConnects(SimulatedDevice.HeartRateSensor.address))
            }
            try await wait { await stage.isConnected() }
            try await stage.check("read", "Heart Rate Sensor", "2A38", gives: ["chest (1)"])
            var isConnected = await stage.isConnected()
            #expect(isConnected)
            let program = try await stage.begin(["listen", "Heart Rate Sensor", "2A37"])
            try await program.wait(for: "60 bpm")
            let status = await program.end(SIGINT)
            #expect(status == 130)
            isConnected = await stage.isConnected()
            #expect(isConnected)
        }
    }

    @Test("A prefix shared by two names is rejected with both names")
    func ambiguous() async throws {
        let devices = ["Lamp 1", "Lamp 2"].enumerated().map { index, name in
            SimulatedDevice(address: "C0:00:00:00:00:0\(index)", name: name, advertising: ["FFE0"])
        }
        try await ToolStage.play(.accelerated(), devices) { stage in
            let outcome = try await stage.run("services", "lamp")
            #expect(outcome.status == 3)
            #expect(outcome.lines.count == 1)
            #expect(
                outcome.lines.first?.hasPrefix("bluejay: \"lamp\" is ambiguous: ")
                    == true
            )
            #expect(outcome.lines.first?.contains("Lamp 1 (C0:00:00:00:00:00)") == true)
            #expect(outcome.lines.first?.contains("Lamp 2 (C0:00:00:00:00:01)") == true)
            let second = try await stage.run("services", "lamp 2")
            #expect(second.status == 0)
        }
    }

    static let wrongLines = [
        (["scan", "--for", "0"], "--for takes a number of seconds above 0"),
        (
            ["scan", "--service", "nothing"],
            "--service takes a UUID or an assigned name, not nothing"
        ),
        (["services", "x", "--timeout", "nan"], "--timeout takes a number of seconds above 0"),
        (["scan", "--rssi", "loud"], "--rssi"),
        (["scan", "--for", "-1"], "at most a billion, not -1"),
        (["record", "x", "y", "--for", "-0.5"], "at most a billion, not -0.5"),
        (["serve", "x", "--for", "nan"], "at most a billion, not nan"),
        (["listen", "x", "2A37", "--for", "inf"], "at most a billion, not inf"),
        (["listen", "x", "2A37", "--for", "0"], "at most a billion, not 0"),
        (["listen", "x", "2A37", "--count", "-1"], "--count takes a number above 0, not -1"),
        (["uart", "x", "--linger", "-1"], "from 0 to a billion, not -1"),
        (["sevices"], "unknown subcommand sevices; did you mean services?"),
        (["help", "sacn"], "unknown subcommand sacn; did you mean scan?"),
        (["blub"], "unknown subcommand blub Usage"),
        (["read"], "specify a characteristic, such as 2A37 or battery-level"),
    ]

    @Test("An invalid command line gives its reason and exit status 64", arguments: wrongLines)
    func wrong(arguments: [String], reason: String) async throws {
        let (lines, status) = try await runProgram("bluejay", arguments, isErrorOutput: true)
        #expect(status == 64)
        #expect(lines.joined(separator: " ").contains(reason))
    }

    @Test("An invalid value found by a running subcommand is followed by the usage of it")
    func usage() async throws {
        let arguments = ["write", "Lock", "FFE1", "zz"]
        let (lines, status) = try await runProgram("bluejay", arguments, isErrorOutput: true)
        #expect(status == 64)
        #expect(
            lines == [
                "Error: zz is not pairs of hexadecimal digits, such as 01ff; for text use --as text",
                "Usage: bluejay write [<options>]", "           <device> <characteristic>",
                "           <value>",
                "  See 'bluejay write --help' for more information.",
            ]
        )
    }

    @Test(
        "A single argument that is no characteristic names both readings",
        arguments: ["Heart", "heart-rate", "C4:7C:8D:6A:1F:02", "C47C8D6A1F02810180626C75656A6179"]
    )
    func deviceOrCharacteristic(text: String) async throws {
        let (lines, status) = try await runProgram("bluejay", ["read", text], isErrorOutput: true)
        #expect(status == 64)
        #expect(
            lines.first
                == "Error: device or characteristic? \"\(text)\" is neither a UUID nor the "
                + "assigned name of a characteristic; if it is a device, add the characteristic"
        )
        #expect(lines.dropFirst().first == "Usage: bluejay read [<options>]")
    }

    static let similar: [(String, String?)] = [
        ("sevices", "services"), ("lsiten", "listen"), ("pari", "pair"), ("serv", "serve"),
        ("x", nil), ("blub", nil), ("", nil),
    ]

    @Test("A typing error of at most two letters suggests the subcommand", arguments: similar)
    func suggestion(word: String, expected: String?) {
        let names = ["scan", "services", "serve", "read", "listen", "pair", "uart"]
        #expect(SubcommandSuggestion.closest(to: word, among: names) == expected)
    }
}
