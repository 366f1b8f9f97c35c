import ArgumentParser
import Bleu
import BluejayDBus
import BluejayGLib
import BluejaySimulator
import BluejayTesting
import Distributed
import Foundation
import TestSupport

/// Connects to a distributed actor, calls it and loses its link, over and over.
@main
struct BleuCyclesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bleu-cycles",
        abstract: "Check that calls, streams and links leak nothing in a process.",
        discussion: """
            Two systems of Bleu and a simulated BlueZ in one process, in virtual time. In each cycle a \
            new system calls a sensor in all forms, opens streams and releases them, cancels a call and \
            loses its link. Prints the descriptors, match rules and memory before and after. Exits \
            with 0 if they are the same.
            """
    )

    @Option(help: "The number of cycles.")
    var cycles = 500

    /// The cycles until the runtime, the bus and the containers reach their final size.
    private static let warmUp = 200

    func run() async throws {
        var options = SimulatorOptions()
        options.version = .v5_86
        options.adapters = 2
        let world = try await TestWorld.make(options)
        let lines = try await world.run { [cycles] in
            let stage = try CycleStage(world)
            try await stage.serve()
            try await stage.play(Self.warmUp)
            let before = try await stage.inventory()
            try await stage.play(cycles)
            let after = try await stage.inventory()
            return ["before: \(before)", "after \(cycles) cycles: \(after)"]
                + after.more(than: before).map { "FAULT: \($0)" }
        }
        for line in lines { print(line) }
        if lines.count > 2 { throw ExitCode.failure }
    }
}

/// A served sensor and its callers.
private final class CycleStage: @unchecked Swift.Sendable {
    private let world: TestWorld
    private let server: BLEActorSystem
    private let control: BusConnection

    init(_ world: TestWorld) throws {
        self.world = world
        control = try BusConnection(.address(world.busAddress), on: world.mainLoop.context)
        server = BLEActorSystem(host: Self.host(0, world))
    }

    private static func host(_ number: Int, _ world: TestWorld) -> BluetoothHost {
        BluetoothHost(
            mainLoop: world.mainLoop,
            adapter: "hci\(number)",
            busAddress: world.busAddress
        )
    }

    func serve() async throws {
        try await server.startAdvertising(CycleSensor(actorSystem: server))
    }

    func play(_ count: Int) async throws {
        for number in 0..<count { try await playOnce(losesLink: number.isMultiple(of: 2)) }
    }

    private func playOnce(losesLink: Bool) async throws {
        let system = BLEActorSystem(host: Self.host(1, world))
        let found = try await system.discover(CycleSensor.self)
        guard let sensor = found.first else { throw CycleError.nothingFound }
        try check(await sensor.read() == 1)
        try check(await sensor.echo("text") == "text")
        try check(await sensor.long().count == 2_000)
        try await sensor.note("line")
        do {
            try await sensor.fail()
            throw CycleError.wrongResult
        } catch is RemoteFailure {}
        for await number in try await sensor.count() where number == 50 { break }
        let cancelled = start { try await sensor.wait() }
        try await world.clock.sleep(for: .milliseconds(100))
        cancelled.cancel()
        _ = await cancelled.result
        let open = start { for await _ in try await sensor.silence() {} }
        try await world.clock.sleep(for: .milliseconds(500))
        if losesLink {
            try world.perform { $0.apply(.otherProgramDisconnects("00:AA:01:01:00:01")) }
        } else {
            try await system.disconnect(from: sensor.id)
        }
        _ = await open.result
        try check(await sensor.read() == 1)
        try await system.disconnect(from: sensor.id)
        try await world.clock.sleep(for: .seconds(3))
    }

    private func check(_ isRight: Bool) throws {
        if !isRight { throw CycleError.wrongResult }
    }

    private func start(
        _ work: @escaping @Sendable () async throws -> Void
    ) -> Task<Void, any Error> {
        Task(executorPreference: ContextExecutor(world.mainLoop.context)) { try await work() }
    }

    func inventory() async throws -> ResourceCount {
        let call = MethodCall(
            to: "org.freedesktop.DBus",
            at: "/org/freedesktop/DBus",
            "org.freedesktop.DBus.Debug.Stats",
            "GetStats",
            []
        )
        let rules: Int = await withCheckedContinuation { continuation in
            world.mainLoop.post { [self] in
                control.call(call, timeout: .seconds(30)) { result in
                    let stats = (try? result.get().first?.namedValues) ?? [:]
                    continuation.resume(returning: stats["MatchRules"]?.integer ?? -1)
                }
            }
        }
        guard rules >= 0 else { throw CycleError.noStatistics }
        return ResourceCount(rules: rules)
    }
}

private enum CycleError: Error {
    case nothingFound, wrongResult, noStatistics
}

distributed actor CycleSensor: PeripheralActor {
    typealias ActorSystem = BLEActorSystem

    distributed func read() async throws -> Int { 1 }
    distributed func echo(_ text: String) async throws -> String { text }
    distributed func long() async throws -> String { String(repeating: "x", count: 2_000) }
    distributed func note(_ line: String) async {}
    distributed func fail() async throws { throw CycleFailure() }
    distributed func wait() async throws {
        // This loop ends when its task is cancelled.
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        for await _ in stream {}
        continuation.finish()
    }
    distributed func count() async throws -> AsyncStream<Int> {
        AsyncStream { for number in 0...100 { $0.yield(number) } }
    }
    /// A stream without elements that does not end.
    distributed func silence() async throws -> AsyncStream<Int> {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        // Retains the continuation, whose release would end the stream.
        continuation.onTermination = { _ in continuation.finish() }
        return stream
    }
}

private struct CycleFailure: Error {}
