import BluejayCompression
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import Bleu

@Suite("Damaged and hostile frames")
struct TransportDamageTests {
    @Test("A flipped bit at any position never yields another message", .computing)
    func flippedBits() throws {
        let frames = try callFrames(30)
        let message = Message(kind: .call, session: 9, call: 1, body: .noise(30))
        for (index, frame) in frames.enumerated() {
            for bit in 0..<frame.count * 8 {
                var damaged = frames
                damaged[index][bit / 8] ^= 1 << (bit % 8)
                for order in [damaged, damaged.reversed()] {
                    var receiver = BLETransport(receiving: .fromCentral)
                    #expect(receiver.receive(all: order).messages.isEmpty)
                    let next = receiver.receive(all: try callFrames(30, call: 2))
                    #expect(next.messages.map(\.call) == [2], "frame \(index), bit \(bit)")
                }
                // The correct frame after the damaged one must not complete a wrong message.
                var receiver = BLETransport(receiving: .fromCentral)
                damaged.insert(frame, at: index + 1)
                let received = receiver.receive(all: damaged).messages
                #expect(received.allSatisfy { $0 == message })
            }
        }
    }

    @Test("Repeated frames are ignored, also after the message is complete")
    func repeated() throws {
        let frames = try callFrames(30)
        var receiver = BLETransport(receiving: .fromCentral)
        #expect(receiver.receive(all: frames.flatMap { [$0, $0] }).messages.count == 1)
        #expect(receiver.messageCount == 0)
        #expect(receiver.receive(all: frames).allSatisfy { $0 == .ignored })
        #expect(receiver.messageCount == 0 && receiver.nextDeadline == nil)
    }

    @Test("A damaged frame between repeated frames does not deliver a message twice")
    func repeatedAroundDamage() throws {
        let frame = try callFrames(3)[0]
        var damaged = frame
        damaged[18] ^= 1
        var receiver = BLETransport(receiving: .fromCentral)
        let outcomes = receiver.receive(all: [frame, damaged, frame])
        #expect(outcomes.messages.count == 1)
        #expect(outcomes.last == .ignored)
    }

    @Test("Elements of one stream arrive although their frames share a call, repeated or not")
    func elements() throws {
        var sender = BLETransport(receiving: .fromCentral)
        var receiver = BLETransport(receiving: .fromPeripheral)
        for number in UInt8(0)..<40 {
            let body = Data([number, 0, 0, 0]) + Data(repeating: 7, count: Int(number))
            let message = Message(kind: .element, session: 1, call: 1, body: body)
            let frames = try sender.frames(of: message, frameSize: 20)
            let outcomes = receiver.receive(all: frames.flatMap { [$0, $0] })
            #expect(outcomes.messages == [message])
            #expect(receiver.messageCount == 0)
        }
    }

    @Test(
        "A frame without a whole header is damaged",
        arguments: ["", "11", "1109", "110900", "11090001", "1109000100", "110900010000"]
    )
    func shortFrames(hex: String) {
        var receiver = BLETransport(receiving: .fromCentral)
        #expect(receiver.receive(Data(hex: hex), now: .zero) == .damaged(session: nil, call: nil))
    }

    @Test(
        "A contradictory frame is damaged and stores nothing",
        arguments: [
            ("a first frame without its header", "11090001000000020000002912a6"),
            ("a length of 4 GiB", "1109000100000000ffffffff2912a6415b5d5b5d"),
            ("a length above the limit", "11090001000000410010002912a6415b5d5b5d"),
            ("more bytes than the length", "1109000100000000010000002912a6415b5d5b5d"),
            ("another checksum", "1109000100000000020000002912a6415b5d"),
            ("a frame without payload", "11090001000100"),
            ("kind 0", "10090001000000"), ("kind 6", "16090001000000"),
        ]
    )
    func contradictory(name: String, hex: String) {
        var receiver = BLETransport(receiving: .fromCentral)
        #expect(receiver.receive(Data(hex: hex), now: .zero) == .damaged(session: 9, call: 1))
        #expect(receiver.messageCount == 0)
    }

    @Test(
        "Frames of another direction, session or version are not messages"
    )
    func foreign() throws {
        var frame = try callFrames(2)[0]
        var central = BLETransport(receiving: .fromPeripheral)
        #expect(central.receive(frame, now: .zero) == .ignored)
        var peripheral = BLETransport(receiving: .fromCentral)
        peripheral.session = 8
        #expect(peripheral.receive(frame, now: .zero) == .ignored)
        peripheral.session = 9
        frame[0] = 0xF1
        #expect(
            peripheral.receive(frame, now: .zero) == .unsupportedVersion(15, session: 9, call: 1)
        )
        frame[5] = 1
        #expect(peripheral.receive(frame, now: .zero) == .ignored)
        #expect(peripheral.messageCount == 0)
    }

    @Test("An index beyond the end and a changed length discard the message")
    func contradictions() throws {
        let frames = try callFrames(30)
        var beyond = frames[2]
        beyond[5] = 3
        let other = try callFrames(31)
        var changed = frames[2]
        changed[19] ^= 1
        for wrong in [beyond, other[0], changed] {
            for order in [[frames[0], frames[2], wrong], [wrong, frames[2], frames[0]]] {
                var receiver = BLETransport(receiving: .fromCentral)
                let outcomes = receiver.receive(all: order)
                #expect(outcomes.contains(.damaged(session: 9, call: 1)))
                #expect(outcomes.messages.isEmpty)
                #expect(receiver.receive(all: try callFrames(30, call: 2)).messages.count == 1)
            }
        }
    }

    @Test(
        "A compression bomb, an invalid stream, an unknown flag and an unexpected seal are damaged",
        .computing
    )
    func contents() throws {
        let bomb = Deflate.compressed(Data(count: 50_000_000))
        let contents: [(MessageFlags, Data)] = [
            (.compressed, bomb), (.compressed, Data("[]".utf8)),
            (MessageFlags(rawValue: 0x10), Data("[]".utf8)), (.sealed, Data("[]".utf8)),
        ]
        for (flags, body) in contents {
            let key = MessageKey(kind: .call, session: 9, call: 1)
            let frames = FrameSequence(
                prefix: key.prefix,
                content: MessageHeader(flags, body, of: key).encoded + body,
                payloadLength: 503
            )
            var receiver = BLETransport(receiving: .fromCentral)
            #expect(receiver.receive(all: frames).last == .damaged(session: 9, call: 1))
            #expect(receiver.messageCount == 0)
        }
    }
}

@Suite("Limits of a peer")
struct TransportLimitTests {
    @Test(
        "Thousands of unfinished messages occupy eight places, and the next message arrives",
        .computing
    )
    func messages() throws {
        var receiver = BLETransport(receiving: .fromCentral)
        for call in UInt16(0)..<5_000 {
            let frames = try callFrames(30, call: call)
            #expect(receiver.receive(frames[Int(call) % 3], now: .zero) == .incomplete)
            #expect(receiver.messageCount <= 8)
        }
        #expect(receiver.receive(all: try callFrames(2, call: 6_000)).messages.count == 1)
        #expect(receiver.messageCount == 8)
        #expect(receiver.receive(all: try callFrames(300, call: 6_001)).messages.count == 1)
    }

    @Test(
        "Unfinished long messages occupy 2 MiB, and the next message of 1 MiB arrives",
        .computing
    )
    func bytes() throws {
        var receiver = BLETransport(receiving: .fromCentral)
        for call in UInt16(0)..<8 {
            for frame in try callFrames(500_000, call: call, size: 510).dropLast() {
                _ = receiver.receive(frame, now: .zero)
                #expect(receiver.byteCount <= 2 << 20)
            }
        }
        #expect(receiver.messageCount == 4)
        let last = receiver.receive(all: try callFrames(1 << 20, call: 9, size: 510))
        #expect(last.messages.count == 1)
    }

    @Test("Reordered frames of one byte occupy at most 2 MiB", .computing)
    func tinyFrames() {
        var receiver = BLETransport(receiving: .fromCentral)
        var frame = Data(hex: "1109000100000001")
        for index in stride(from: UInt16(65_535), to: 20_000, by: -1) {
            frame[5] = UInt8(index & 0xFF)
            frame[6] = UInt8(index >> 8)
            _ = receiver.receive(frame, now: .zero)
            guard receiver.byteCount <= 2 << 20 else {
                Issue.record("\(receiver.byteCount) bytes are stored")
                return
            }
        }
    }

    @Test("A message expires 30 seconds after its last frame, and its late frames are ignored")
    func time() throws {
        let frames = try callFrames(30)
        var receiver = BLETransport(receiving: .fromCentral)
        _ = receiver.receive(frames[0], now: .seconds(1))
        _ = receiver.receive(frames[1], now: .seconds(20))
        #expect(receiver.nextDeadline == .seconds(50))
        #expect(receiver.expire(now: .seconds(49)).isEmpty)
        let expired = receiver.expire(now: .seconds(50))
        #expect(expired.map(\.session) == [9] && expired.map(\.call) == [1])
        #expect(receiver.nextDeadline == nil)
        #expect(receiver.receive(frames[2], now: .seconds(51)) == .ignored)
        #expect(receiver.messageCount == 0)
    }

    @Test("A limit above 1 MiB also applies to the bytes of the peer", .computing)
    func longerMessages() throws {
        var limits = BleuConfiguration().transportLimits
        limits.messageLength = 4 << 20
        var sender = BLETransport(receiving: .fromPeripheral, limits: limits)
        let message = Message(kind: .call, session: 1, call: 1, body: .noise(4 << 20))
        var receiver = BLETransport(receiving: .fromCentral, limits: limits)
        let outcomes = receiver.receive(all: try sender.frames(of: message, frameSize: 510))
        #expect(outcomes.last == .message(message))
    }
}
