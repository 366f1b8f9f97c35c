import Bluejay
import TestSupport

/// A random program and random misfortune, as a value: a seed makes the same one each time.
struct Schedule: Swift.Sendable {
    /// Where an instance lives.
    enum Place: Swift.Sendable {
        /// On the loop that all schedules of a lane share, beside an instance that never goes.
        case sharedLoop
        /// On the first loop of this schedule's own.
        case ownLoop
        /// On another loop of its own: another client for bluetoothd.
        case secondLoop
    }

    let seed: UInt64
    var players: [Place]
    var peers: Int
    /// Whether the first instance connects before anything else is done.
    var beginsConnected: Bool
    var steps: [Step]

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
        beginsConnected = dice.happens(3, of: 4)
        let count = 6 + dice.below(24)
        steps = []
        let (players, peers) = (players.count, peers)
        steps = (0..<count).map { _ in dice.step(players: players, peers: peers) }
        // Drawn last: every other step is what it is without them.
        guard dice.happens(1, of: 4) else { return }
        let inLines = (0...dice.below(2)).map { _ in
            dice.stepInLines(players: players, peers: peers)
        }
        steps.insert(contentsOf: inLines, at: 0)
    }

    /// Whether something of a kind happens in it.
    func has(_ isSo: (Step.Action) -> Bool) -> Bool {
        steps.contains { isSo($0.action) }
    }

    /// Everything that is needed to play it by hand.
    var lines: [String] {
        let places = players.enumerated().map { "\(playerName($0.offset)) on \($0.element)" }
        let begin = beginsConnected ? "; all are connected first" : ""
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

    /// One of the choices, each as often as its weight says.
    mutating func pick<Choice>(_ choices: [(weight: Int, choice: Choice)]) -> Choice {
        var rest = below(choices.reduce(0) { $0 + $1.weight })
        for (weight, choice) in choices.dropLast() {
            if rest < weight { return choice }
            rest -= weight
        }
        return choices[choices.count - 1].choice
    }
}
