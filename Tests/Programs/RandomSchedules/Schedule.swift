import Bluejay
import TestSupport

/// A random program with random mishaps, as a value: equal seeds make equal schedules.
struct Schedule: Swift.Sendable {
    /// The loop of an instance.
    enum Place: Swift.Sendable {
        /// The loop that all schedules of a lane share, with an idle instance.
        case sharedLoop
        /// The first loop of this schedule.
        case ownLoop
        /// The second loop of this schedule, and so another client for bluetoothd.
        case secondLoop
    }

    let seed: UInt64
    var players: [Place]
    var peers: Int
    /// Whether the first instance connects before all steps.
    var startsConnected: Bool
    var steps: [Step]

    var connectsDespiteDisconnect: Bool { seed.isMultiple(of: 2) }

    /// The number of bus connections of the players.
    var clientCount: Int { players.contains(.secondLoop) ? 2 : 1 }

    init(seed: UInt64) {
        var dice = Dice(seed)
        self.seed = seed
        players = dice.pick([
            (6, [.sharedLoop]), (3, [.ownLoop]), (5, [.sharedLoop, .sharedLoop]),
            (2, [.ownLoop, .ownLoop]), (1, [.sharedLoop, .sharedLoop, .sharedLoop]),
            (1, [.ownLoop, .secondLoop]),
        ])
        peers = dice.pick([(4, 1), (1, 2)])
        startsConnected = dice.happens(3, of: 4)
        let count = 6 + dice.below(24)
        steps = []
        let (players, peers) = (players.count, peers)
        steps = (0..<count).map { _ in dice.step(players: players, peers: peers) }
        // Drawn last, so that it does not change the other steps.
        guard dice.happens(1, of: 4) else { return }
        let inLines = (0...dice.below(2)).map { _ in
            dice.stepInLines(players: players, peers: peers)
        }
        steps.insert(contentsOf: inLines, at: 0)
    }

    /// Whether the schedule has a step with such an action.
    func has(_ isSo: (Step.Action) -> Bool) -> Bool {
        steps.contains { isSo($0.action) }
    }

    /// The description from which the schedule can be played by hand.
    var lines: [String] {
        let places = players.enumerated().map { "\(playerName($0.offset)) on \($0.element)" }
        let begin = startsConnected ? "; all are connected first" : ""
        return ["\(places.joined(separator: ", ")); \(peers) peripherals\(begin)"]
            + steps.map { "\($0)" }
    }
}

/// Random choices of one seed.
struct Dice {
    private var generator: SeededGenerator

    init(_ seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func below(_ count: Int) -> Int {
        Int.random(in: 0..<count, using: &generator)
    }

    mutating func happens(_ times: Int, of all: Int) -> Bool {
        below(all) < times
    }

    /// Picks a choice at random, according to the weights.
    mutating func pick<Choice>(_ choices: [(weight: Int, choice: Choice)]) -> Choice {
        var rest = below(choices.reduce(0) { $0 + $1.weight })
        for (weight, choice) in choices.dropLast() {
            if rest < weight { return choice }
            rest -= weight
        }
        return choices[choices.count - 1].choice
    }
}
