import Foundation
import TestSupport
import TestTraits
import Testing

@testable import Bleu

/// Random messages in both directions over a link with faults.
private struct FaultyLink {
    /// Each fault affects one frame in this many; 0 disables the fault.
    struct Faults {
        var loss = 0
        var repetition = 0
        var flips = 0
        /// The number of frames that may overtake a frame.
        var disorder = 0
    }

    let faults: Faults
    var random: SeededGenerator
    private var receivers = [
        BLETransport(receiving: .fromCentral), BLETransport(receiving: .fromPeripheral),
    ]
    private var air: [(place: Int, direction: Int, frame: Data)] = []
    private var framesSent = 0
    private var sent: [MessageKey: Message] = [:]
    private(set) var received: [MessageKey: Int] = [:]
    private(set) var wrong: [Message] = []

    init(_ faults: Faults, seed: UInt64) {
        self.faults = faults
        random = SeededGenerator(seed: seed)
    }

    private mutating func happens(_ rate: Int) -> Bool {
        rate > 0 && Int.random(in: 0..<rate, using: &random) == 0
    }

    mutating func send(_ call: Int) throws {
        let kinds = FrameKind.allCases
        let kind = kinds[Int.random(in: 0..<kinds.count, using: &random)]
        let length = Int.random(in: 0...(happens(200) ? 3_000 : 80), using: &random)
        let message = Message(
            kind: kind,
            session: 1,
            call: UInt16(call),
            flags: happens(4) ? .needsNoReply : [],
            body: .noise(length, seed: UInt64(call))
        )
        sent[MessageKey(kind: kind, session: 1, call: UInt16(call))] = message
        let size = FrameSize.all[Int.random(in: 0..<8, using: &random)].size
        var sender = BLETransport(receiving: .fromCentral)
        for frame in try sender.frames(of: message, frameSize: size) {
            if happens(faults.loss) { continue }
            var frame = frame
            if happens(faults.flips) {
                let bit = Int.random(in: 0..<frame.count * 8, using: &random)
                frame[bit / 8] ^= 1 << (bit % 8)
            }
            let direction = kind.direction == .fromCentral ? 0 : 1
            put(frame, direction)
            if happens(faults.repetition) { put(frame, direction) }
        }
    }

    private mutating func put(_ frame: Data, _ direction: Int) {
        framesSent += 1
        let place = framesSent + Int.random(in: 0...faults.disorder, using: &random)
        let index = air.firstIndex { $0.place > place } ?? air.count
        air.insert((place, direction, frame), at: index)
    }

    mutating func deliver(keeping count: Int) {
        while air.count > count {
            let next = air.removeFirst()
            let outcome = receivers[next.direction].receive(next.frame, now: .zero)
            guard case .message(let message) = outcome else { continue }
            let key = MessageKey(kind: message.kind, session: message.session, call: message.call)
            received[key, default: 0] += 1
            if sent[key] != message { wrong.append(message) }
        }
    }

    var heldBytes: Int { receivers.map(\.byteCount).max() ?? 0 }
}

@Suite("Random messages")
struct TransportRandomTests {
    @Test("5,000 messages with repeated and reordered frames each arrive once", .computing)
    func harmless() throws {
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        var link = FaultyLink(.init(repetition: 6, disorder: 5), seed: seed)
        for call in 0..<5_000 {
            try link.send(call)
            link.deliver(keeping: 8)
        }
        link.deliver(keeping: 0)
        #expect(link.wrong.isEmpty, "seed \(seed)")
        #expect(link.received.count == 5_000, "seed \(seed)")
        #expect(link.received.values.allSatisfy { $0 == 1 }, "seed \(seed)")
        #expect(link.heldBytes == 0, "seed \(seed)")
    }

    @Test(
        "5,000 messages with lost and damaged frames arrive unchanged or not at all",
        .computing
    )
    func harmful() throws {
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        let faults = FaultyLink.Faults(loss: 40, repetition: 10, flips: 40, disorder: 5)
        var link = FaultyLink(faults, seed: seed)
        for call in 0..<5_000 {
            try link.send(call)
            link.deliver(keeping: 8)
            #expect(link.heldBytes <= 2 << 20, "seed \(seed)")
        }
        link.deliver(keeping: 0)
        #expect(link.wrong.isEmpty, "seed \(seed)")
        #expect(link.received.count > 3_000, "seed \(seed)")
        #expect(link.received.values.allSatisfy { $0 == 1 }, "seed \(seed)")
    }
}
