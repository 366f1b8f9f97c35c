import Foundation
import Synchronization

/// Plays many schedules in several lanes at once, and collects violations by kind.
final class Run: Swift.Sendable {
    struct Kind: Swift.Sendable {
        var count = 0
        var seeds: [UInt64] = []
        var detail = ""
        var story: [String] = []
    }

    private struct State {
        var next = 0
        var kinds: [String: Kind] = [:]
        var played = 0
        var broken = 0
    }

    private let seeds: [UInt64]
    private let state = Mutex(State())

    /// Whether to print the story of every schedule with a violation.
    private let isVerbose: Bool

    init(_ seeds: [UInt64], isVerbose: Bool = false) {
        self.seeds = seeds
        self.isVerbose = isVerbose
    }

    var kinds: [String: Kind] { state.withLock { $0.kinds } }
    var summary: String {
        state.withLock { "\($0.played) schedules, \($0.broken) failed" }
    }

    func play(lanes count: Int) async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<count {
                group.addTask { [self] in try await play(lane: number, isAlone: count == 1) }
            }
            try await group.waitForAll()
        }
    }

    private func play(lane number: Int, isAlone: Bool) async throws {
        var lane = try await Lane(number, isAlone: isAlone)
        while let seed = nextSeed() {
            guard await !play(Schedule(seed: seed), in: lane).isEmpty else { continue }
            // A new lane, so that violations do not affect the next schedule.
            await lane.end()
            lane = try await Lane(number, isAlone: isAlone)
        }
        await lane.end()
    }

    private func nextSeed() -> UInt64? {
        state.withLock { state in
            guard state.next < seeds.count else { return nil }
            state.next += 1
            return seeds[state.next - 1]
        }
    }

    @discardableResult
    func play(_ schedule: Schedule, in lane: Lane) async -> [Violation] {
        let seed = schedule.seed
        let ledger = Ledger(clientCount: schedule.clientCount) { [self] in
            add($0, seed, ["after the end of the schedule"])
        }
        // A time limit, because a blocked loop reports nothing.
        let watch = Task {
            try await Task.sleep(for: .seconds(120))
            abort(schedule, ledger)
        }
        let outcome = await Play(schedule, in: lane, ledger: ledger).run()
        watch.cancel()
        if isVerbose, !outcome.violations.isEmpty { printOutcome(schedule, outcome) }
        state.withLock { state in
            state.played += 1
            if !outcome.violations.isEmpty { state.broken += 1 }
        }
        for violation in outcome.violations { add(violation, seed, outcome.story) }
        return outcome.violations
    }

    private func printOutcome(_ schedule: Schedule, _ outcome: Outcome) {
        // One write, because other lanes print at the same time.
        let lines = schedule.lines + ["---"] + outcome.story
        printLine(
            (["=== seed \(schedule.seed)"] + lines.map { "    \($0)" }).joined(separator: "\n")
        )
    }

    func add(_ violation: Violation, _ seed: UInt64, _ story: [String]) {
        state.withLock { state in
            var kind = state.kinds[violation.kind, default: Kind()]
            kind.count += 1
            if kind.seeds.isEmpty {
                kind.detail = violation.detail
                kind.story = story
            }
            if kind.seeds.count < 8, kind.seeds.last != seed { kind.seeds.append(seed) }
            state.kinds[violation.kind] = kind
        }
    }

    // A blocked loop cannot be released, nor can its waiters.
    private func abort(_ schedule: Schedule, _ ledger: Ledger) {
        printLine("seed \(schedule.seed) hangs")
        for line in schedule.lines + ["---"] + ledger.story { printLine("    \(line)") }
        report(shrunk: [:])
        exit(2)
    }

    /// Prints the kinds, the most frequent first.
    func report(shrunk: [String: Schedule]) {
        printLine(summary)
        for (name, kind) in kinds.sorted(by: { $0.value.count > $1.value.count }) {
            let seeds = kind.seeds.map { "\($0)" }.joined(separator: " ")
            printLine("\(kind.count) x \(name)  [\(kind.detail)]  seeds \(seeds)")
            guard let schedule = shrunk[name] else { continue }
            for line in schedule.lines { printLine("        \(line)") }
        }
    }
}

/// Prints a line without buffering, so that a crash loses no output.
func printLine(_ line: String) {
    FileHandle.standardOutput.write(Data("\(plain(line))\n".utf8))
}

/// Returns values in the notation of the source, without the names of modules and types.
private func plain(_ line: String) -> String {
    let names = /random_schedules\.|Bluejay\.|MultipleListenOption|WriteType|AutoReconnectMode/
    return line.replacing(names, with: "")
        .replacing(/Optional\((\d+)\)/, with: { $0.1 })
        .replacing(/(TaskCall|Attribute|Restart|Mishap|Behaviour|Scan\.Answer)\./, with: ".")
        .replacing("..", with: ".")
}
