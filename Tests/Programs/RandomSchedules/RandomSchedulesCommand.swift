import ArgumentParser
import Bluejay
import Foundation

/// Random calls and random mishaps, with the rules that must hold for all of them.
@main
struct RandomSchedulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "random-schedules",
        abstract: "Play random schedules of calls and faults on the simulated BlueZ.",
        discussion: """
            Prints each kind of violation with its seeds and the shortest schedule that causes it. \
            Exits with 0 if no rule was violated.
            """,
        version: BluejayVersion.current
    )

    @Option(help: "The number of schedules.")
    var count = 2_000

    @Option(help: "Play only the schedule of this seed, --count times.")
    var seed: UInt64?

    @Option(help: "The first seed. Default: random.")
    var from: UInt64?

    @Option(help: "The number of concurrent schedules, each on a separate bus.")
    var lanes = 16

    @Option(help: "The number of seconds for shortening failed schedules.")
    var shrinking = 60

    @Flag(help: "Print the events of each failed schedule.")
    var story = false

    func run() async throws {
        // The schedules kill bluetoothd often: do not log that each time.
        unsafe setenv("BLUEJAY_LOG", "critical", 0)
        let first = from ?? UInt64.random(in: 1...9_999) * 100_000
        let seeds =
            seed.map { Array(repeating: $0, count: count) }
            ?? (0..<UInt64(count)).map { first + $0 }
        printLine("\(count) schedules from seed \(seeds.first ?? 0), \(lanes) at once")
        let run = Run(seeds, isVerbose: story)
        let begin = ContinuousClock.now
        try await play(run)
        printLine("played in \(ContinuousClock.now - begin)")
        let shrunk = run.kinds.isEmpty ? [:] : try await shrink(run)
        run.report(shrunk: shrunk)
        guard run.kinds.isEmpty else { throw ExitCode.failure }
    }

    private func play(_ run: Run) async throws {
        // The first schedules create the permanent resources of the runtime, which are not counted.
        try await Run((0..<UInt64(lanes)).map { $0 }).play(lanes: lanes)
        let before = Census()
        try await run.play(lanes: lanes)
        // No event reports the end of the last thread of a loop.
        for _ in 0..<300 where !Census().more(than: before).isEmpty {
            try await Task.sleep(for: .milliseconds(10))
        }
        for violation in Census().more(than: before) { run.add(violation, 0, []) }
    }

    private func shrink(_ run: Run) async throws -> [String: Schedule] {
        var shrunk: [String: Schedule] = [:]
        let kinds = run.kinds.sorted { $0.value.count > $1.value.count }.prefix(12)
        for (name, kind) in kinds {
            let limit = ContinuousClock.now + .seconds(shrinking / max(1, kinds.count))
            var shrinker = try await Shrinker(name, until: limit)
            for seed in kind.seeds where seed != 0 && ContinuousClock.now < limit {
                shrunk[name] = try await shrinker.shrink(Schedule(seed: seed))
                if shrunk[name] != nil { break }
            }
            await shrinker.end()
        }
        return shrunk
    }
}
