import TestSupport

@testable import GameHost

/// Plays random events against an outbox and records violations.
struct OutboxPlay {
    private(set) var faults: [String] = []
    private var dice: SeededGenerator
    private var outbox: OutboxStateMachine
    private var members: [OutboxStateMachine.Recipient] = []
    private let isEach: Bool
    private var pending: [(value: Int, target: String?)] = []
    private var number = 0
    private var open: Set<Int> = []
    private var failed: Set<String> = []
    /// Messages interrupted midway; each of them must fail.
    private var broken: [Int] = []
    /// The latest piece that each player received.
    private var heard: [String: OutboxStateMachine.Fragment] = [:]

    init(_ seed: UInt64) {
        dice = SeededGenerator(seed: seed)
        isEach = seed % 2 == 0
        outbox = OutboxStateMachine(OutboxStateMachine.Settings(maximumSize: 2_000, window: 3))
    }

    mutating func step() {
        switch dice.next() % 12 {
        case 0: changeMembers()
        case 1...4:
            number += 1
            open.insert(number)
            let target =
                dice.next() % 2 == 0 ? nil : ["a", "b", "c", "d"].randomElement(using: &dice)
            let message = OutboxStateMachine.Message(
                id: number,
                length: Int.random(in: 0...60, using: &dice),
                target: target
            )
            take(outbox.enqueue(message))
        case 5, 6: take(outbox.flush())
        default: finish()
        }
    }

    mutating func end() {
        take(outbox.flush())
        while !pending.isEmpty { finish() }
        if !outbox.isEmpty { faults.append("not empty at the end") }
        for message in broken where !failed.contains(where: { $0.hasPrefix("\(message) ") }) {
            faults.append("no failure was reported for the incomplete message \(message)")
        }
        if !open.isEmpty { faults.append("never finished: \(open.sorted())") }
    }

    private mutating func changeMembers() {
        let ids = ["a", "b", "c", "d"].filter { _ in dice.next() % 3 > 0 }
        let old = Set(members.map(\.id))
        members = ids.map { id in
            OutboxStateMachine.Recipient(
                id: id,
                valueLength: members.first { $0.id == id }?.valueLength
                    ?? Int.random(in: 20...60, using: &dice),
                isUnsubscribed: dice.next() % 8 == 0
            )
        }
        for id in old.symmetricDifference(ids) { heard[id] = nil }
        take(outbox.recipientsChanged(members, supportsUnicast: isEach))
    }

    private mutating func finish() {
        guard !pending.isEmpty else { return }
        let (value, target) = pending.removeFirst()
        let isGood = dice.next() % 10 > 0
        take(outbox.finished(value, isGood ? .sent : .failed(.mute(target ?? ""))))
    }

    private mutating func take(_ actions: [OutboxStateMachine.Action]) {
        for action in actions {
            switch action {
            case .armFlush: break
            case .finish(let number):
                if open.remove(number) == nil { faults.append("finished twice: \(number)") }
            case .fail(let number, let target, _):
                if !failed.insert("\(number) \(target ?? "all")").inserted {
                    faults.append("failed twice: \(number)")
                }
            case .send(let value, let piece, let target):
                if !open.contains(piece.message) { faults.append("sent after its end") }
                pending.append((value, target))
                for id in target.map({ [$0] }) ?? members.map(\.id) { hear(piece, id) }
            }
        }
    }

    private mutating func hear(_ piece: OutboxStateMachine.Fragment, _ id: String) {
        guard let member = members.first(where: { $0.id == id }) else {
            return faults.append("sent to \(id), which has left")
        }
        let last = heard[id]
        heard[id] = piece
        // A player that joins in the middle of a broadcast cannot use the rest of it.
        if isEach || piece.index == 0, piece.range.count + 4 > member.valueLength {
            faults.append("too long for \(id)")
        }
        if let last, last.message == piece.message {
            if piece.index != last.index + 1 { faults.append("fragments out of order for \(id)") }
            if piece.range.lowerBound != last.range.upperBound { faults.append("a gap for \(id)") }
        } else if let last {
            if last.message > piece.message { faults.append("messages out of order for \(id)") }
            if isEach, piece.index != 0 { faults.append("a message without its beginning") }
            if last.index < last.count - 1 { broken.append(last.message) }
        }
    }
}
