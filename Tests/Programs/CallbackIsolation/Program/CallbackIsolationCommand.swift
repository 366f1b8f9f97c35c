import ArgumentParser
import BluejayGLib
import CallbackStage
import Foundation

/// Calls every kind of callback from an owner of each isolation, on the main loop and on a separate loop.
@main
struct CallbackIsolationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "callback-isolation",
        abstract: "Call the callbacks of a class of the main actor, an actor and a plain class.",
        discussion: """
            The callbacks change state that their isolation protects, so ThreadSanitizer reports a callback \
            that runs elsewhere. Prints the number of calls of each kind. Exits with 0 if every kind was \
            called.
            """
    )

    @Option(help: "The number of callbacks in all.")
    var count = 60_000

    @Option(help: "The loop of the callbacks. Omit it for both.")
    var loop: LoopKind?

    @Option(help: "The owner of the callbacks. Omit it for all.")
    var owner: OwnerKind?

    @Flag(help: "Print the kinds of callbacks, played or not, and exit.")
    var kinds = false

    func run() throws {
        guard !kinds else {
            for kind in Kinds.played + Kinds.exceptions.keys.sorted() { print(kind) }
            return
        }
        let count = count
        let combinations = Combination.all.filter { [loop, owner] combination in
            (loop ?? combination.loop) == combination.loop
                && (owner ?? combination.owner) == combination.owner
        }
        let totals = try MainLoop.main.run {
            var totals: [String: [Int]] = [:]
            for combination in combinations {
                let start = ContinuousClock.now
                let counts = try await combination.play(count / combinations.count)
                let number = counts.values.reduce(0, +)
                let seconds = (ContinuousClock.now - start).components.seconds
                print("\(combination): \(number) callbacks in \(seconds) s")
                for (kind, count) in counts { totals[kind, default: []].append(count) }
            }
            return totals
        }
        for (kind, counts) in totals.sorted(by: { $0.key < $1.key }) {
            print("\(kind): \(counts.map { "\($0)" }.joined(separator: " "))")
        }
        print("\(totals.values.joined().reduce(0, +)) callbacks")
        let missing = Kinds.played.filter { totals[$0]?.count != combinations.count }
        for kind in missing { print("FAULT: \(kind) was not called in each combination") }
        if !missing.isEmpty { throw ExitCode.failure }
    }
}

enum LoopKind: String, CaseIterable, ExpressibleByArgument, Swift.Sendable {
    /// The main loop.
    case main
    /// A loop with a separate thread.
    case own
}

enum OwnerKind: String, CaseIterable, ExpressibleByArgument, Swift.Sendable {
    case mainActor = "main-actor"
    case actor
    case plain

    var player: any Player.Type {
        switch self {
        case .mainActor: MainActorPlayer.self
        case .actor: ActorPlayer.self
        case .plain: PlainPlayer.self
        }
    }
}

/// An isolation and a loop.
private struct Combination: Swift.Sendable, CustomStringConvertible {
    static let all = LoopKind.allCases.flatMap { loop in
        OwnerKind.allCases.map { Combination(loop: loop, owner: $0) }
    }

    let loop: LoopKind
    let owner: OwnerKind

    var description: String { "\(owner.rawValue) on the \(loop.rawValue) loop" }

    /// Plays rounds until `count` callbacks were called; returns the calls of each kind.
    func play(_ count: Int) async throws -> [String: Int] {
        let stage = try await Stage(
            on: loop == .main ? MainLoop.main : MainLoop(threadName: "callbacks")
        )
        let player = await owner.player.init(stage)
        await play(.begin, player)
        var round = 0
        while await needsRound(player.totals(), count) {
            async let events: Void = stage.causeEvents()
            await play(.round, player)
            await events
            round += 1
            if round.isMultiple(of: 3) { await stage.causeFaults() }
        }
        try await stage.restartDaemon()
        await play(.end, player)
        return await player.totals()
    }

    private func needsRound(_ totals: [String: Int], _ count: Int) -> Bool {
        let sum = totals.values.reduce(0, +)
        return sum < count || (sum < 10 * count && Kinds.racing.contains { totals[$0] == nil })
    }

    /// Plays a step; ends the program if a completion is not called.
    private func play(_ step: Step, _ player: any Player) async {
        let watchdog = Task {
            // Real time: a completion that is lost must not hold the test run.
            try await Task.sleep(for: .seconds(120))
            for (kind, count) in await player.totals().sorted(by: { $0.key < $1.key }) {
                print("\(kind): \(count)")
            }
            print("FAULT: not called within two minutes: \(await player.missing())")
            exit(1)
        }
        await player.play(step)
        watchdog.cancel()
    }
}
