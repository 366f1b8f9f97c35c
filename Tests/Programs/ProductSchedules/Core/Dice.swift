import TestSupport

/// Random choices of one seed.
struct Dice {
    private var generator: SeededGenerator

    init(_ seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func below(_ count: Int) -> Int {
        Int(truncatingIfNeeded: generator.next() >> 1) % count
    }

    mutating func happens(_ times: Int, of all: Int) -> Bool {
        below(all) < times
    }

    mutating func element<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
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

    mutating func bytes(upTo maximum: Int) -> [UInt8] {
        let count = pick([
            (1, 0), (4, 1 + below(4)), (3, below(24)), (2, below(1 + maximum)), (1, maximum),
        ])
        let bits = generator.next()
        return (0..<min(count, maximum)).map {
            UInt8(truncatingIfNeeded: (bits >> UInt64($0 & 31)) &+ UInt64($0))
        }
    }

    mutating func milliseconds(upTo maximum: Int) -> Duration {
        .milliseconds(1 + below(maximum))
    }
}
