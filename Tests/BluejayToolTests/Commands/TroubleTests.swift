import BluejayCore
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite("bluejay in trouble", .timeLimit(.minutes(15)))
struct TroubleTests {
    @Test("Without Bluetooth it says what to do, and ends with 2")
    func off() async throws {
        var options = SimulatorOptions.inShortTime()
        options.isPowered = false
        try await Bench.play(options, []) { bench in
            let words = { (state: BluetoothState) in "bluejay: Bluetooth is not available: \(state)"
            }
            let off = [words(.poweredOff)]
            try await bench.check("scan", gives: off, status: 2)
            try await bench.check("services", "x", gives: off, status: 2)
            try await bench.check(
                "scan",
                "--adapter",
                "hci7",
                gives: [words(.adapterNotFound("hci7"))],
                status: 2
            )
            await bench.system.terminateDaemon()
            try await bench.check("adapters", gives: [words(.serviceNotRunning)], status: 2)
        }
    }

    @Test("A device that is not there is said after the time, and it ends with 3")
    func missing() async throws {
        try await Bench.play { bench in
            let way = "check that it is on and near, `bluejay scan` shows who is"
            try await bench.check(
                "services",
                "Nobody",
                "--timeout",
                "0.5",
                gives: ["bluejay: no device \"Nobody\" was found in 0.5 s; \(way)"],
                status: 3
            )
            try await bench.check(
                "services",
                "C0:00:00:00:00:99",
                "--timeout",
                "1",
                gives: ["bluejay: no device C0:00:00:00:00:99 was found in 1 s; \(way)"],
                status: 3
            )
            try await bench.check(
                "services",
                gives: ["bluejay: no device was used before; name one"],
                status: 3
            )
        }
    }

    @Test("A beginning that two names have is refused, with both")
    func ambiguous() async throws {
        let devices = ["Lamp 1", "Lamp 2"].enumerated().map { index, name in
            SimulatedDevice(address: "C0:00:00:00:00:0\(index)", name: name, advertising: ["FFE0"])
        }
        try await Bench.play(.inShortTime(), devices) { bench in
            let outcome = try await bench.run("services", "lamp")
            #expect(outcome.status == 3)
            #expect(outcome.lines.count == 1)
            #expect(
                outcome.lines.first?.hasPrefix("bluejay: \"lamp\" is more than one device: ")
                    == true
            )
            #expect(outcome.lines.first?.contains("Lamp 1 (C0:00:00:00:00:00)") == true)
            #expect(outcome.lines.first?.contains("Lamp 2 (C0:00:00:00:00:01)") == true)
            let second = try await bench.run("services", "lamp 2")
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
    ]

    @Test("A wrong command line is refused with what is wrong, and 64", arguments: wrongLines)
    func wrong(arguments: [String], reason: String) async throws {
        let (lines, status) = try await runProgram("bluejay", arguments, isErrorOutput: true)
        #expect(status == 64)
        #expect(lines.joined(separator: " ").contains(reason))
    }
}
