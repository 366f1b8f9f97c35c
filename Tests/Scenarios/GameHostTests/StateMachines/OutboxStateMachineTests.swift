import TestTraits
import Testing

@testable import GameHost

@Suite("The outbox of a host")
struct OutboxStateMachineTests {
    private typealias Member = OutboxStateMachine.Recipient
    private typealias Action = OutboxStateMachine.Action

    private func outbox(
        _ members: [Member],
        isEach: Bool = true,
        isRaw: Bool = true,
        maximumSize: Int = 262_144,
        window: Int = 16
    ) -> OutboxStateMachine {
        var outbox = OutboxStateMachine(
            OutboxStateMachine.Settings(isRaw: isRaw, maximumSize: maximumSize, window: window)
        )
        _ = outbox.recipientsChanged(members, supportsUnicast: isEach)
        return outbox
    }

    private let two = [Member(id: "a", valueLength: 20), Member(id: "b", valueLength: 20)]

    private func message(_ number: Int, to target: String? = nil, length: Int = 1)
        -> OutboxStateMachine.Message
    {
        OutboxStateMachine.Message(id: number, length: length, target: target)
    }

    private func sent(_ value: Int, _ message: Int, to target: String?, id: UInt16) -> Action {
        .send(value, piece(message, id, 0, of: 1, 0..<1), to: target)
    }

    private func piece(
        _ message: Int,
        _ packetId: UInt16,
        _ index: Int,
        of count: Int,
        _ range: Range<Int>
    ) -> OutboxStateMachine.Fragment {
        OutboxStateMachine.Fragment(
            message: message,
            packetId: packetId,
            index: index,
            count: count,
            range: range
        )
    }

    @Test("Messages are collected, and sent in order with the next flush")
    func gathers() {
        var outbox = outbox(two)
        #expect(outbox.enqueue(message(1, to: "a")) == [.armFlush])
        #expect(outbox.enqueue(message(2)).isEmpty)
        #expect(
            outbox.flush() == [
                sent(1, 1, to: "a", id: 0), sent(2, 2, to: "a", id: 1), sent(3, 2, to: "b", id: 1),
            ]
        )
        #expect(outbox.finished(1, .sent) == [.finish(1)])
        #expect(outbox.finished(2, .sent).isEmpty)
        #expect(outbox.finished(3, .sent) == [.finish(2)])
        #expect(outbox.isEmpty)
        #expect(outbox.enqueue(message(3)) == [.armFlush])
    }

    @Test("Without unicast, one value reaches all players, and one of two cannot be addressed")
    func all() {
        var outbox = outbox(two, isEach: false)
        #expect(
            outbox.enqueue(message(1, to: "a"))
                == [.fail(1, for: "a", .notAddressable("a")), .finish(1)]
        )
        #expect(outbox.enqueue(message(2)) == [.armFlush])
        #expect(outbox.flush() == [sent(1, 2, to: nil, id: 0)])
        _ = outbox.recipientsChanged([two[0]], supportsUnicast: false)
        #expect(outbox.enqueue(message(3, to: "a")) == [.armFlush])
        #expect(outbox.flush() == [sent(2, 3, to: "a", id: 1)])
    }

    @Test("A unicast message fails if unicast becomes impossible before the flush")
    func late() {
        var outbox = outbox([two[0]], isEach: false)
        #expect(outbox.enqueue(message(1, to: "a")) == [.armFlush])
        #expect(outbox.recipientsChanged(two, supportsUnicast: false).isEmpty)
        #expect(outbox.flush() == [.fail(1, for: "a", .notAddressable("a")), .finish(1)])
        #expect(outbox.isEmpty)
    }

    @Test("Messages to unknown or unsubscribed players and oversized messages fail at once")
    func refusals() {
        var outbox = outbox([two[0], Member(id: "b", valueLength: 30, isUnsubscribed: true)])
        #expect(
            outbox.enqueue(message(1, to: "c")) == [
                .fail(1, for: "c", .unknownPeer("c")), .finish(1),
            ]
        )
        #expect(
            outbox.enqueue(message(2, to: "b")) == [.fail(2, for: "b", .mute("b")), .finish(2)]
        )
        #expect(
            outbox.enqueue(message(3, to: "a", length: 21))
                == [.fail(3, for: "a", .tooLarge(size: 21, limit: 20)), .finish(3)]
        )
        #expect(outbox.enqueue(message(4)) == [.fail(4, for: "b", .mute("b")), .armFlush])
        #expect(outbox.flush() == [sent(1, 4, to: "a", id: 0)])
    }

    @Test("A shared recipient receives broadcasts as a single value for all players")
    func shared() {
        let shared = Member(id: "b", valueLength: 15, isShared: true)
        var outbox = outbox([two[0], shared])
        #expect(outbox.enqueue(message(1)) == [.armFlush])
        #expect(outbox.flush() == [sent(1, 1, to: nil, id: 0)])
        // The shortest maximum length counts.
        #expect(
            outbox.enqueue(message(2, length: 16))
                == [.fail(2, for: nil, .tooLarge(size: 16, limit: 15)), .finish(2)]
        )
        let refusal = DeliveryFailure.notAddressable("b")
        #expect(outbox.enqueue(message(3, to: "b")) == [.fail(3, for: "b", refusal), .finish(3)])
        #expect(outbox.enqueue(message(4, to: "a")) == [.armFlush])
        #expect(outbox.flush() == [sent(2, 4, to: "a", id: 1)])
        #expect(outbox.finished(1, .sent) == [.finish(1)])
        #expect(outbox.finished(2, .sent) == [.finish(4)])
        _ = outbox.recipientsChanged([shared], supportsUnicast: true)
        #expect(outbox.enqueue(message(5, to: "b")) == [.armFlush])
        #expect(outbox.flush() == [sent(3, 5, to: "b", id: 2)])
    }

    @Test(
        "An empty raw message cannot be sent to a single player, because it would close the socket"
    )
    func rawEmpty() {
        var outbox = outbox([two[0]])
        #expect(
            outbox.enqueue(message(1, to: "a", length: 0))
                == [.fail(1, for: "a", .notAddressable("a")), .finish(1)]
        )
    }

    @Test("A message without recipients finishes at once")
    func nobody() {
        var outbox = outbox([])
        #expect(outbox.enqueue(message(1)) == [.finish(1)])
        #expect(outbox.isEmpty)
    }

    @Test("A player that does not read fills only its own queue")
    func full() {
        var outbox = outbox(two, maximumSize: 200, window: 1)
        for number in 1...3 { _ = outbox.enqueue(message(number, to: "a")) }
        #expect(
            outbox.enqueue(message(4, to: "a")) == [.fail(4, for: "a", .queueFull), .finish(4)]
        )
        #expect(outbox.enqueue(message(5)) == [.fail(5, for: "a", .queueFull)])
        #expect(outbox.flush() == [sent(1, 1, to: "a", id: 0), sent(2, 5, to: "b", id: 3)])
        #expect(outbox.finished(2, .sent) == [.finish(5)])
        #expect(outbox.enqueue(message(6)) == [.fail(6, for: "a", .queueFull), .armFlush])
        #expect(outbox.flush() == [sent(3, 6, to: "b", id: 4)])
    }

    @Test(
        "Fragments fit the limit of each player, and one message is complete before the next begins"
    )
    func fragments() {
        let members = [Member(id: "a", valueLength: 6), Member(id: "b", valueLength: 8)]
        var outbox = outbox(members, isRaw: false, window: 2)
        _ = outbox.enqueue(message(1, length: 3))
        _ = outbox.enqueue(message(2, to: "a"))
        #expect(
            outbox.flush() == [
                .send(1, piece(1, 0, 0, of: 2, 0..<2), to: "a"),
                .send(2, piece(1, 0, 1, of: 2, 2..<3), to: "a"),
                .send(3, piece(1, 0, 0, of: 1, 0..<3), to: "b"),
            ]
        )
        #expect(outbox.finished(1, .sent) == [sent(4, 2, to: "a", id: 1)])
        #expect(outbox.finished(3, .sent).isEmpty)
        #expect(outbox.finished(2, .sent) == [.finish(1)])
    }

    @Test("A failed fragment fails its message, once")
    func broken() {
        var outbox = outbox([Member(id: "a", valueLength: 5)], isRaw: false, window: 2)
        _ = outbox.enqueue(message(1, to: "a", length: 4))
        _ = outbox.flush()
        #expect(outbox.finished(1, .failed(.mute("a"))).isEmpty)
        #expect(
            outbox.finished(2, .failed(.mute("a"))) == [.fail(1, for: "a", .mute("a")), .finish(1)]
        )
        #expect(outbox.isEmpty)
    }

    @Test("Messages to a leaving player fail; broadcasts do not")
    func leaves() {
        var outbox = outbox(two, window: 1)
        _ = outbox.enqueue(message(1))
        _ = outbox.enqueue(message(2, to: "a"))
        _ = outbox.flush()
        _ = outbox.enqueue(message(3, to: "a"))
        #expect(
            outbox.recipientsChanged([two[1]], supportsUnicast: true) == [
                .fail(2, for: "a", .unknownPeer("a")), .finish(2),
                .fail(3, for: "a", .unknownPeer("a")), .finish(3),
            ]
        )
        #expect(outbox.finished(1, .sent).isEmpty)
        #expect(outbox.finished(2, .sent) == [.finish(1)])
        #expect(outbox.isEmpty)
    }

    @Test("In random sequences, messages are complete and in order, or fail once", .computing)
    func random() {
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        for round in UInt64(0)..<200 {
            var play = OutboxPlay(seed &+ round)
            for _ in 0..<150 { play.step() }
            play.end()
            #expect(play.faults.isEmpty, "seed \(seed), round \(round)")
        }
    }
}
