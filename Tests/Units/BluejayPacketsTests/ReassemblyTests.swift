import BluejayPackets
import Foundation
import TestSupport
import TestTraits
import Testing

private typealias Pieces = Reassembly<String, Int>

extension Reassembly<String, Int> {
    fileprivate init() {
        self.init(Limits(timeout: .seconds(30)))
    }

    fileprivate mutating func receive(
        _ index: Int,
        of count: Int?,
        _ text: String,
        message: Int = 1,
        from sender: String = "A",
        now: Duration = .zero
    ) -> Outcome {
        let piece = Fragment(index: index, count: count, data: Data(text.utf8))
        return receive(piece, of: message, from: sender, now: now)
    }
}

@Suite("Reassembly of messages")
struct ReassemblyTests {
    private let small = Pieces.Limits(
        messageLength: 10,
        messages: 2,
        bytes: 12,
        chargesOverhead: false,
        timeout: .seconds(30)
    )

    @Test("Pieces in any order, with repetitions, yield the message once")
    func order() {
        var pieces = Pieces()
        #expect(pieces.receive(2, of: nil, "c") == .incomplete)
        #expect(pieces.receive(0, of: 3, "a") == .incomplete)
        #expect(pieces.receive(2, of: 3, "c") == .incomplete)
        #expect(pieces.receive(1, of: nil, "b") == .complete(Data("abc".utf8)))
        #expect(pieces == Pieces())
        #expect(pieces.byteCount(of: "A") == 0)
        // A different piece with the same name starts a new one.
        #expect(pieces.receive(1, of: 2, "y") == .incomplete)
    }

    @Test("Pieces of different senders and messages are not mixed")
    func senders() {
        var pieces = Pieces()
        #expect(pieces.receive(0, of: 2, "a", from: "A") == .incomplete)
        #expect(pieces.receive(1, of: 2, "b", from: "B") == .incomplete)
        #expect(pieces.receive(1, of: 2, "c", message: 2) == .incomplete)
        #expect(pieces.receive(0, of: 2, "d", from: "B") == .complete(Data("db".utf8)))
        #expect(pieces.messageCount(of: "A") == 2)
        pieces.forget("A")
        #expect(pieces == Pieces())
        #expect(pieces.messageCount(of: "A") == 0)
    }

    @Test("The oldest message of a sender can be discarded")
    func oldest() {
        var pieces = Pieces(small)
        _ = pieces.receive(0, of: 2, "a", message: 7)
        _ = pieces.receive(0, of: 2, "b", message: 3)
        _ = pieces.receive(0, of: 2, "c", message: 1, from: "B")
        #expect(pieces.discardOldest(of: "A") == 7)
        #expect(pieces.messageCount == 2 && pieces.byteCount(of: "A") == 1)
        #expect(pieces.receive(1, of: 2, "d", message: 3) == .complete(Data("bd".utf8)))
        #expect(pieces.discardOldest(of: "A") == nil)
        #expect(pieces.messageCount(of: "B") == 1)
    }

    @Test("An empty message, and a message of one piece, are complete at once")
    func single() {
        var pieces = Pieces()
        #expect(pieces.receive(0, of: 1, "") == .complete(Data()))
        #expect(pieces.receive(0, of: 1, "a") == .complete(Data("a".utf8)))
    }

    @Test(
        "A contradictory piece discards the message",
        arguments: [(-1, 2, "x"), (2, 2, "x"), (0, 0, "x"), (1, 3, "b"), (0, 2, "other")]
    )
    func contradiction(index: Int, count: Int, text: String) {
        var pieces = Pieces()
        #expect(pieces.receive(0, of: 2, "a") == .incomplete)
        #expect(pieces.receive(index, of: count, text) == .rejected(.malformed))
        #expect(pieces == Pieces())
    }

    @Test("A piece beyond a length that arrives later discards the message")
    func lateCount() {
        var pieces = Pieces()
        #expect(pieces.receive(5, of: nil, "f") == .incomplete)
        #expect(pieces.receive(0, of: 2, "a") == .rejected(.malformed))
        #expect(pieces.byteCount(of: "A") == 0)
    }

    @Test("A piece that exceeds a limit is rejected, and the other messages of its sender stay")
    func bounds() {
        var pieces = Pieces(small)
        #expect(pieces.receive(0, of: 2, "12345678901") == .rejected(.tooLong(limit: 10)))
        #expect(pieces.receive(0, of: 11, "1") == .rejected(.tooLong(limit: 10)))
        #expect(pieces.receive(0, of: 2, "12345678", message: 1) == .incomplete)
        #expect(
            pieces.receive(0, of: 2, "12345", message: 2) == .rejected(.tooManyBytes(limit: 12))
        )
        #expect(pieces.receive(0, of: 2, "1234", message: 2) == .incomplete)
        #expect(
            pieces.receive(0, of: 2, "", message: 3) == .rejected(.tooManyMessages(limit: 2))
        )
        #expect(pieces.receive(0, of: 2, "12345678", from: "B") == .incomplete)
        #expect(pieces.receive(1, of: 2, "", message: 1) == .complete(Data("12345678".utf8)))
        #expect(pieces.byteCount(of: "A") == 4)
    }

    @Test("A message expires at a time that counts from its first piece")
    func time() {
        var pieces = Pieces(small)
        #expect(pieces.nextDeadline == nil)
        _ = pieces.receive(0, of: 2, "a", message: 1, now: .seconds(1))
        _ = pieces.receive(0, of: 2, "b", message: 2, now: .seconds(5))
        _ = pieces.receive(0, of: nil, "a", message: 1, now: .seconds(20))
        #expect(pieces.nextDeadline == .seconds(31))
        #expect(pieces.expire(now: .seconds(30)).isEmpty)
        let expired = pieces.expire(now: .seconds(31))
        #expect(expired.map(\.message) == [1] && expired.map(\.sender) == ["A"])
        #expect(pieces.nextDeadline == .seconds(35))
        #expect(pieces.byteCount(of: "A") == 1)
    }

    @Test("With a gap timeout, time counts from the last new piece, and is shorter after a gap")
    func gaps() {
        var pieces = Pieces(Pieces.Limits(timeout: .seconds(30), gapTimeout: .seconds(2)))
        _ = pieces.receive(0, of: 5, "a", now: .seconds(1))
        #expect(pieces.nextDeadline == .seconds(31))
        _ = pieces.receive(1, of: nil, "b", now: .seconds(30))
        #expect(pieces.nextDeadline == .seconds(60))
        _ = pieces.receive(1, of: nil, "b", now: .seconds(40))
        #expect(
            pieces.nextDeadline == .seconds(60),
            "a repeated piece does not extend the deadline"
        )
        _ = pieces.receive(3, of: nil, "d", now: .seconds(41))
        #expect(pieces.nextDeadline == .seconds(43))
        _ = pieces.receive(2, of: nil, "c", now: .seconds(42))
        #expect(pieces.nextDeadline == .seconds(72))
        #expect(pieces.expire(now: .seconds(72)).map(\.message) == [1])
    }

    @Test("The cost of a piece does not grow with a thousand senders", .computing)
    func manySenders() {
        func time(senders: Int) -> Duration {
            var pieces = Pieces()
            for sender in 0..<senders {
                for message in 0..<7 {
                    _ = pieces.receive(0, of: 3, "a", message: message, from: "\(sender)")
                }
            }
            return ContinuousClock().measure {
                for number in 0..<2_000 {
                    let now = Duration.milliseconds(number)
                    _ = pieces.receive(0, of: 3, "a", message: 100 + number, from: "0", now: now)
                    _ = pieces.expire(now: now)
                    #expect(pieces.nextDeadline == .seconds(30))
                    if number % 2 == 1 { pieces.discard(100 + number, of: "0") }
                    if number % 2 == 0 { pieces.discardOldest(of: "0") }
                    pieces.forget("gone")
                }
            }
        }
        let few = time(senders: 2)
        #expect(time(senders: 1_000) < few * 20)
    }

    @Test("A piece after a gap counts 64 bytes besides its data, a piece without a gap 4 bytes")
    func overhead() {
        var pieces = Pieces()
        _ = pieces.receive(0, of: 4, "abc")
        #expect(pieces.byteCount(of: "A") == 3 + 4)
        _ = pieces.receive(2, of: 4, "ef")
        #expect(pieces.byteCount(of: "A") == 5 + 4 + 64)
        _ = pieces.receive(1, of: 4, "d")
        #expect(pieces.byteCount(of: "A") == 6 + 3 * 4)
        #expect(pieces.isPartial(1, of: "A"))
        #expect(pieces.receive(3, of: nil, "g") == .complete(Data("abcdefg".utf8)))
        #expect(pieces.byteCount(of: "A") == 0)
        #expect(!pieces.isPartial(1, of: "A"))
    }

    @Test("Empty pieces after a gap reach the limit")
    func emptyPieces() {
        var pieces = Pieces()
        let fitting = (5 << 18) / 64
        for index in 1...fitting { #expect(pieces.receive(index, of: nil, "") == .incomplete) }
        #expect(
            pieces.receive(fitting + 1, of: nil, "") == .rejected(.tooManyBytes(limit: 5 << 18))
        )
    }

    @Test("A message of 1 MiB in 65,536 pieces is complete within the default limits", .computing)
    func longest() {
        var pieces = Pieces()
        for index in 0..<65_535 {
            let piece = Pieces.Fragment(index: index, count: nil, data: Data(count: 16))
            guard pieces.receive(piece, of: 1, from: "A", now: .zero) == .incomplete else {
                Issue.record("piece \(index) was rejected")
                return
            }
        }
        let last = Pieces.Fragment(index: 65_535, count: 65_536, data: Data(count: 16))
        #expect(
            pieces.receive(last, of: 1, from: "A", now: .zero) == .complete(Data(count: 1 << 20))
        )
    }

    @Test("A repeated piece with other data discards the message, joined or waiting")
    func conflicts() {
        for (index, text) in [(0, "x"), (1, "ax"), (1, "a"), (3, "x")] {
            var pieces = Pieces()
            _ = pieces.receive(0, of: nil, "a")
            _ = pieces.receive(1, of: nil, "ab")
            _ = pieces.receive(3, of: nil, "c")
            #expect(pieces.receive(0, of: nil, "a") == .incomplete)
            #expect(pieces.receive(1, of: nil, "ab") == .incomplete)
            #expect(pieces.receive(3, of: nil, "c") == .incomplete)
            #expect(pieces.receive(index, of: nil, text) == .rejected(.malformed))
            #expect(pieces == Pieces())
        }
    }

    @Test(
        "In random sequences, no limit is exceeded and the byte counts are correct",
        arguments: 0..<20
    )
    func anything(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var pieces = Pieces(small)
        var now = Duration.zero
        for _ in 0..<500 {
            now += .seconds(Int.random(in: 0...5, using: &random))
            _ = pieces.receive(
                Int.random(in: -1...4, using: &random),
                of: Bool.random(using: &random) ? nil : Int.random(in: 0...4, using: &random),
                String(repeating: "x", count: Int.random(in: 0...6, using: &random)),
                message: Int.random(in: 1...4, using: &random),
                from: ["A", "B"].randomElement(using: &random) ?? "A",
                now: now
            )
            if Int.random(in: 0...20, using: &random) == 0 { pieces.forget("A") }
            _ = pieces.expire(now: now)
            for sender in ["A", "B"] {
                #expect(pieces.messageCount(of: sender) <= 2)
                #expect((0...12).contains(pieces.byteCount(of: sender)))
            }
        }
        _ = pieces.expire(now: now + .seconds(30))
        #expect(pieces == Pieces(small))
        #expect(pieces.byteCount(of: "A") == 0 && pieces.byteCount(of: "B") == 0)
    }
}
