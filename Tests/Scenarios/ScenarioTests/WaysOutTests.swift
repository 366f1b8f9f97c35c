import Foundation
import Staging
import TestSupport
import Testing

/// Tests `TerminationScopes`.
@Suite("Leaving a connection scope", .timeLimit(.minutes(15)))
struct WaysOutTests {
    struct Way: CustomTestStringConvertible, Swift.Sendable {
        let argument: String
        var signals: [Int32] = []
        var lines: [String] = []
        var status: Int32 = 0

        var testDescription: String { "\(argument) \(signals)" }
    }

    private static let ways = [
        Way(argument: "return", lines: ["outside"]),
        Way(argument: "throw", lines: ["thrown by the program", "outside"]),
        Way(argument: "cancel", lines: ["CancellationError()", "outside"]),
        Way(argument: "wait", signals: [SIGINT], status: 128 + SIGINT),
        Way(argument: "wait", signals: [SIGTERM], status: 128 + SIGTERM),
        // `timeout` and `sudo` send a signal to the program that the terminal has sent already.
        Way(argument: "wait", signals: [SIGINT, SIGINT], status: 128 + SIGINT),
        // The closure ignores the cancellation.
        Way(argument: "stay", signals: [SIGTERM], status: 128 + SIGTERM),
    ]

    @Test(
        "The link is down when the scope of a connection has ended",
        arguments: ["connection", "nested"],
        ways
    )
    func connection(subject: String, way: Way) async throws {
        try await leave(subject, way, lines: way.lines, status: way.status)
    }

    @Test(
        "A program with a connection closes its links and prints its error",
        arguments: [
            Way(argument: "return", lines: ["outside"]),
            Way(argument: "throw", lines: ["thrown by the program"], status: 1),
            Way(argument: "cancel", lines: ["outside"]),
            Way(argument: "wait", signals: [SIGINT], status: 128 + SIGINT),
            Way(argument: "stay", signals: [SIGTERM], status: 128 + SIGTERM),
        ]
    )
    func program(way: Way) async throws {
        try await leave("program", way, lines: way.lines, status: way.status)
    }

    @Test("A second signal that arrives later terminates the program immediately")
    func secondSignal() async throws {
        try await withTestbed(isRecorded: false) { context in
            let peripheral = try await context.testbed.add(.heartRateSensor())
            let program = try await start("connection", "wait", context)
            program.send(SIGINT)
            try await Task.sleep(for: .milliseconds(600))
            let begin = ContinuousClock.now
            #expect(await program.end(SIGINT) == 128 + SIGINT)
            #expect(begin.duration(to: .now) < .milliseconds(900))
            withExtendedLifetime(peripheral) {}
        }
    }

    @Test(
        "A signal ends a recipe and drops its link",
        arguments: ["recipe-heart-rate", "recipe-for-ever"],
        [SIGINT, SIGTERM]
    )
    func recipe(name: String, signal: Int32) async throws {
        try await withTestbed(isRecorded: false) { context in
            let peripheral = try await context.testbed.add(.heartRateSensor())
            let program = try await RunningProgram(
                name,
                isLineBuffered: true,
                environment: ["DBUS_SYSTEM_BUS_ADDRESS": context.testbed.busAddress]
            )
            try await wait { program.lines.contains { $0.hasSuffix("beats per minute") } }
            try await end(program, with: [signal], status: 128 + signal, peripheral)
        }
    }

    private func leave(_ subject: String, _ way: Way, lines: [String], status: Int32) async throws {
        try await withTestbed(isRecorded: false) { context in
            let peripheral = try await context.testbed.add(.heartRateSensor())
            let program = try await start(subject, way.argument, context)
            if !way.signals.isEmpty { #expect(try await peripheral.isConnected()) }
            try await end(program, with: way.signals, status: status, peripheral)
            #expect(program.lines == ["inside"] + lines)
        }
    }

    /// Sends the signals, and expects the end of the link and of the program.
    private func end(
        _ program: RunningProgram,
        with signals: [Int32],
        status: Int32,
        _ peripheral: any TestbedPeripheral
    ) async throws {
        let begin = ContinuousClock.now
        for signal in signals { program.send(signal) }
        // A query of the testbed each 20 ms, since no event reports the end of the link.
        while try await peripheral.isConnected() {
            try await Task.sleep(for: .milliseconds(20))
        }
        // The emulated processor of the machine adds about 0.7 s to the two seconds of a Disconnect.
        #expect(begin.duration(to: .now) < .seconds(isRealBlueZ ? 4 : 3))
        try await wait { program.status != nil }
        #expect(program.status == status)
    }

    /// Starts the program, and returns when it is inside its scope.
    private func start(
        _ subject: String,
        _ way: String,
        _ context: ScenarioContext
    ) async throws -> RunningProgram {
        let program = try await RunningProgram(
            "ways-out",
            [subject, way],
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": context.testbed.busAddress]
        )
        try await program.wait(for: "inside")
        return program
    }
}
