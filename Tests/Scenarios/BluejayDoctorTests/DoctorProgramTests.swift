import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite("bluejay doctor", .timeLimit(.minutes(15)))
struct DoctorProgramTests {
    private static func run(
        _ address: String,
        _ arguments: [String] = []
    ) async throws -> (lines: [String], status: Int32) {
        try await runProgram(
            "bluejay",
            ["doctor"] + arguments,
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": address]
        )
    }

    /// Drops the lines about the machine that runs the tests.
    private static func ofTheBus(_ lines: [String]) -> [String] {
        lines.drop { !$0.contains(" system bus: ") }.filter { !$0.hasPrefix("✓ permissions: ") }
    }

    private static let heldRequests =
        "• known crash: bluetoothd 5.66 and later (seen up to 5.87) crashes 5 s after a request from a "
        + "central whose link drops before the serving program responds; a server that responds at once "
        + "or holds its values avoids it"

    @Test("Without a problem the exit status is 0")
    func healthy() async throws {
        try await onSimulatedBlueZ(.accelerated(.v5_86)) { system in
            let (lines, status) = try await Self.run(system.busAddress)
            #expect(
                Self.ofTheBus(lines) == [
                    "✓ system bus: \(system.busAddress) (from DBUS_SYSTEM_BUS_ADDRESS), responding",
                    "✓ bluetoothd: running and responding",
                    "✓ BlueZ: 5.86",
                    "✓ experimental features: advertisement monitors available",
                    "✓ adapter hci0: 00:AA:01:00:00:00, BlueZ 5.86, on; central, peripheral, advertises, "
                        + "room for 5, monitors",
                    Self.heldRequests,
                    "✓ simulated BlueZ: dbus-daemon found",
                    "No problems found.",
                ]
            )
            #expect(status == 0)
        }
    }

    @Test("A problem is printed with its remedy, and the exit status is 1")
    func off() async throws {
        var options = SimulatorOptions.accelerated(.v5_86)
        options.isPowered = false
        try await onSimulatedBlueZ(options) { system in
            let (lines, status) = try await Self.run(system.busAddress)
            #expect(
                Self.ofTheBus(lines) == [
                    "✓ system bus: \(system.busAddress) (from DBUS_SYSTEM_BUS_ADDRESS), responding",
                    "✓ bluetoothd: running and responding",
                    "✓ BlueZ: 5.86",
                    "✓ experimental features: advertisement monitors available",
                    "✗ adapter hci0: 00:AA:01:00:00:00, BlueZ 5.86, off",
                    "  → `bluetoothctl power on`",
                    Self.heldRequests,
                    "✓ simulated BlueZ: dbus-daemon found",
                    "1 problem found.",
                ]
            )
            #expect(status == 1)
        }
    }

    @Test("A missing bus is a problem with exit status 1")
    func noBus() async throws {
        let (lines, status) = try await Self.run("unix:path=/nowhere/socket")
        #expect(
            Self.ofTheBus(lines).prefix(2) == [
                "✗ system bus: unix:path=/nowhere/socket is unreachable (Failed to connect to socket "
                    + "/nowhere/socket: No such file or directory)",
                "  → start the bus at that address, or `unset DBUS_SYSTEM_BUS_ADDRESS` to use the system bus",
            ]
        )
        #expect(lines.last == "1 problem found.")
        #expect(status == 1)
    }

    private struct Line: Decodable, Equatable {
        var topic: String
        var verdict: String
        var title: String
        var found: String
        var mend: String?
    }

    @Test(
        "With --json each finding is one object per line, with the same exit status"
    )
    func json() async throws {
        var options = SimulatorOptions.accelerated(.v5_86)
        options.isPowered = false
        try await onSimulatedBlueZ(options) { system in
            let (lines, status) = try await Self.run(system.busAddress, ["--json"])
            #expect(
                lines.map { $0.replacing(#/"time":"[^"]*",/#, with: "") }.contains(
                    #"{"found":"00:AA:01:00:00:00, BlueZ 5.86, off","mend":"`bluetoothctl power on`","#
                        + #""title":"adapter hci0","topic":"adapter","type":"finding","verdict":"trouble"}"#
                )
            )
            let findings = try lines.map {
                try JSONDecoder().decode(Line.self, from: Data($0.utf8))
            }
            #expect(findings.filter { $0.verdict == "trouble" }.map(\.topic) == ["adapter"])
            #expect(findings.allSatisfy { ($0.mend != nil) == ($0.verdict == "trouble") })
            #expect(status == 1)
        }
    }

    @Test("Ctrl-C ends the doctor while it waits for bluetoothd")
    func interrupted() async throws {
        try await onSimulatedBlueZ { system in
            await system.perform { $0.apply(.daemonFrozen(for: .seconds(100_000))) }
            let (lines, status) = try await runProgram(
                "bluejay",
                ["doctor"],
                environment: ["DBUS_SYSTEM_BUS_ADDRESS": system.busAddress],
                interruptedAfter: 1
            )
            #expect(status == 130)
            #expect(lines == [])
        }
    }
}
