import BluejayGLib
import Foundation

/// Plays seeds in several processes at once, and collects the violations by kind.
final class LaneRun: Swift.Sendable {
    private struct Kind {
        var count = 0
        var seeds: [UInt64] = []
        var detail = ""
    }

    /// A rule that a product breaks.
    private struct Rule: Hashable {
        let product: String
        let kind: String
    }

    private struct State {
        var next = 0
        var played = 0
        var failed = 0
        var kinds: [Rule: Kind] = [:]
    }

    private let names: [String]
    private let selection: Selection
    private let printsStory: Bool
    private let state = LockedValue(State())

    init(_ names: [String], _ selection: Selection, printsStory: Bool) {
        self.names = names
        self.selection = selection
        self.printsStory = printsStory
    }

    var playedCount: Int { state.value.played }
    var isClean: Bool { state.value.failed == 0 }

    private func product(of seed: UInt64) -> String { names[Int(seed % UInt64(names.count))] }

    func play(_ seeds: [UInt64], lanes: Int) async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<lanes { group.addTask { [self] in try await playLane(seeds) } }
            try await group.waitForAll()
        }
    }

    private func playLane(_ seeds: [UInt64]) async throws {
        let arguments =
            ["--product", names.joined(separator: ",")] + selection.arguments
            + (printsStory ? ["--story"] : [])
        var lane = try await LaneProcess(arguments)
        while let seed = nextSeed(of: seeds) {
            let outcome = await lane.play(seed)
            state.update { $0.played += 1 }
            guard !outcome.violations.isEmpty else { continue }
            add(outcome, seed)
            // A new world, so that the violation does not affect the next schedule.
            await lane.end()
            lane = try await LaneProcess(arguments)
        }
        await lane.end()
    }

    private func nextSeed(of seeds: [UInt64]) -> UInt64? {
        state.update { state in
            guard state.next < seeds.count else { return nil }
            state.next += 1
            return seeds[state.next - 1]
        }
    }

    private func add(_ outcome: LaneProcess.Outcome, _ seed: UInt64) {
        let name = product(of: seed)
        if printsStory {
            let lines = Products.lines(name, seed: seed, selection) + ["---"] + outcome.story
            printLine((["=== \(name), seed \(seed)"] + lines).joined(separator: "\n    "))
        }
        state.update { state in
            state.failed += 1
            for violation in outcome.violations {
                let rule = Rule(product: name, kind: violation.kind)
                var kind = state.kinds[rule, default: Kind()]
                kind.count += 1
                if kind.seeds.isEmpty { kind.detail = violation.detail }
                if kind.seeds.count < 6, kind.seeds.last != seed { kind.seeds.append(seed) }
                state.kinds[rule] = kind
            }
        }
    }

    /// Prints the kinds of violations, each with the shortest schedule that causes it.
    func report(shrinkingWithin limit: Duration) async throws {
        printLine("\(state.value.failed) schedules failed")
        let kinds = state.value.kinds.sorted { $0.value.count > $1.value.count }
        let share = limit / max(1, kinds.count)
        for (rule, kind) in kinds {
            let seeds = kind.seeds.map { "\($0)" }.joined(separator: " ")
            printLine("\(kind.count) x \(rule.product): \(rule.kind)  [\(kind.detail)]")
            printLine("    seeds \(seeds)")
            let end = ContinuousClock.now + share
            for seed in kind.seeds where ContinuousClock.now < end {
                let shrinker = Shrinker(rule.product, seed, rule.kind, until: end)
                guard let shortest = try await shrinker.shrink(selection) else { continue }
                for line in Products.lines(rule.product, seed: seed, shortest) {
                    printLine("        \(line)")
                }
                let arguments = shortest.arguments.joined(separator: " ")
                printLine(
                    "    repeat: --product \(rule.product) --seed \(seed) --count 1 \(arguments)"
                )
                break
            }
        }
    }
}
