import Foundation

@testable import BluejayPackets
@testable import GameHost

/// Feeds fragments to the reassembly of GameHost and to the one below it.
///
/// In the raw form, the limits hold for any fragments. In the script form, messages arrive unchanged in any
/// order of their fragments, and each repeated fragment changes nothing.
struct FragmentFuzzing {
    static func play(_ bytes: Data) throws {
        var input = FuzzInput(bytes)
        switch input.number(below: 3) {
        case 0: try playHost(&input)
        case 1: try playScript(&input)
        default: try playReassembly(&input)
        }
    }

    // MARK: GameHost

    private static func playHost(_ input: inout FuzzInput) throws {
        var limits = PacketReassembler.Limits()
        limits.bytesPerPeer = 600
        limits.messagesPerPeer = input.number(below: 4)
        let clock = Clock()
        let reassembler = PacketReassembler(limits: limits) { clock.now }
        var fragmentCount = 0
        while !input.isEmpty {
            if input.number(below: 8) == 0 { clock.now += .seconds(Int(input.byte())) }
            let peer = input.choice(of: ["a", "b"])
            if input.number(below: 16) == 0 { reassembler.forget(peer) }
            fragmentCount += 1
            guard let message = reassembler.addFragment(input.bytes(), from: peer) else { continue }
            try expect(message.count <= 600, "a message has \(message.count) bytes")
            try expect(
                reassembler.openMessageCount <= 2 * max(1, limits.messagesPerPeer),
                "\(reassembler.openMessageCount) messages are open"
            )
        }
        let counts = reassembler.statistics
        let most = counts.completed + counts.malformed + counts.conflicting
        try expect(most <= fragmentCount, "\(counts) after \(fragmentCount) fragments")
    }

    private final class Clock {
        var now = Duration.zero
    }

    private static func playScript(_ input: inout FuzzInput) throws {
        let clock = Clock()
        let reassembler = PacketReassembler { clock.now }
        var fragmenter = PacketFragmenter(
            mtu: 5 + input.number(below: 40),
            firstPacketId: input.integer()
        )
        var air: [(message: Int, fragment: Data)] = []
        var messages: [Data] = []
        for index in 0..<1 + input.number(below: 4) {
            let message = input.bytes()
            messages.append(message)
            guard let fragments = try? fragmenter.fragment(message) else {
                throw Fuzzing.Violation(description: "\(message.count) bytes are too long")
            }
            air += fragments.map { (index, $0) }
        }
        var arrived = Set<Int>()
        while !air.isEmpty {
            let index = Int(input.integer(UInt16.self)) % air.count
            let isRepeated = input.number(below: 8) == 7
            let (message, fragment) = isRepeated ? air[index] : air.remove(at: index)
            // A fragment of a complete message starts a new message.
            if isRepeated,
                !air.contains(where: { $0.message == message && $0.fragment != fragment })
            {
                continue
            }
            guard let received = reassembler.addFragment(fragment) else { continue }
            try expect(received == messages[message], "message \(message) has changed")
            arrived.insert(message)
        }
        try expect(arrived.count == messages.count, "\(arrived) of \(messages.count) arrived")
    }

    // MARK: Reassembly

    /// Compares the reassembly with one that keeps each fragment in a dictionary.
    private static func playReassembly(_ input: inout FuzzInput) throws {
        let limits = Reassembly<UInt8, UInt8>.Limits(
            messageLength: 200,
            messages: 3,
            bytes: 400,
            chargesOverhead: input.flag(),
            timeout: .seconds(30),
            gapTimeout: input.flag() ? .seconds(10) : nil
        )
        var reassembly = Reassembly<UInt8, UInt8>(limits)
        var model: [UInt8: [UInt8: [Int: Data]]] = [:]
        var now = Duration.zero
        while !input.isEmpty {
            let sender = UInt8(input.number(below: 2))
            let message = UInt8(input.number(below: 5))
            switch input.number(below: 8) {
            case 0:
                now += .seconds(Int(input.byte()) / 8)
                for late in reassembly.expire(now: now) { model[late.sender]?[late.message] = nil }
            case 1:
                reassembly.discard(message, of: sender)
                model[sender]?[message] = nil
            case 2:
                if let oldest = reassembly.discardOldest(of: sender) {
                    model[sender]?[oldest] = nil
                }
            default:
                let fragment = Reassembly<UInt8, UInt8>.Fragment(
                    index: input.number(below: 12) - 1,
                    count: input.flag() ? input.number(below: 10) : nil,
                    data: input.data(of: input.number(below: 120))
                )
                let outcome = reassembly.receive(fragment, of: message, from: sender, now: now)
                try check(outcome, fragment, &model[sender, default: [:]][message, default: [:]])
                if model[sender]?[message]?.isEmpty == true { model[sender]?[message] = nil }
            }
            try check(reassembly, model, limits, now)
        }
    }

    private static func check(
        _ outcome: Reassembly<UInt8, UInt8>.Outcome,
        _ fragment: Reassembly<UInt8, UInt8>.Fragment,
        _ fragments: inout [Int: Data]
    ) throws {
        switch outcome {
        case .incomplete: fragments[fragment.index] = fragment.data
        case .complete(let message):
            fragments[fragment.index] = fragment.data
            let joined = fragments.sorted { $0.key < $1.key }.reduce(into: Data()) {
                $0 += $1.value
            }
            try expect(message == joined, "\(message.count) of \(joined.count) bytes arrived")
            try expect(fragments.keys.max() == fragments.count - 1, "\(fragments) is complete")
            fragments = [:]
        case .rejected(.tooManyMessages):
            try expect(fragments.isEmpty, "a fragment of a known message is too much")
        case .rejected: fragments = [:]
        }
    }

    private static func check(
        _ reassembly: Reassembly<UInt8, UInt8>,
        _ model: [UInt8: [UInt8: [Int: Data]]],
        _ limits: Reassembly<UInt8, UInt8>.Limits,
        _ now: Duration
    ) throws {
        var count = 0
        for sender in UInt8(0)..<2 {
            let messages = model[sender] ?? [:]
            count += messages.count
            let length = messages.values.flatMap(\.values).reduce(0) { $0 + $1.count }
            let charge = reassembly.byteCount(of: sender)
            try expect(charge <= limits.bytes, "\(charge) bytes are stored")
            try expect(charge >= length, "\(charge) bytes are charged for \(length)")
            try expect(limits.chargesOverhead || charge == length, "\(charge) bytes, not \(length)")
            for message in UInt8(0)..<5 {
                let isPartial = reassembly.isPartial(message, of: sender)
                try expect(
                    isPartial == (messages[message] != nil),
                    "message \(message) of \(sender) is partial: \(isPartial)"
                )
            }
        }
        try expect(reassembly.messageCount == count, "\(reassembly.messageCount), not \(count)")
        let deadline = reassembly.nextDeadline
        try expect(
            (deadline == nil) == (count == 0),
            "the deadline is \(String(describing: deadline))"
        )
        if let deadline { try expect(deadline <= now + .seconds(30), "\(deadline) is too late") }
    }
}
