import Foundation
import TestTraits
import Testing

@testable import Bleu

@Suite("Sizes around frame boundaries")
struct FrameBorderTests {
    @Test(
        "A body around each boundary has the expected frames and arrives",
        arguments: FrameSize.all
    )
    func borders(frame: FrameSize) throws {
        // The last byte of each of the first five frames and of the eleventh, and the compression threshold.
        let borders = ([1, 2, 3, 4, 5, 11].map { $0 * frame.payloadLength - 9 }) + [1024]
        let lengths = Set([0, 1, 2] + borders.flatMap { ($0 - 2)...($0 + 2) })
        for length in lengths.sorted() {
            try check(length, frame)
        }
    }

    private func check(_ length: Int, _ frame: FrameSize) throws {
        var sender = BLETransport(receiving: frame.direction)
        let message = Message(
            kind: frame.kind,
            session: 0xFFFF,
            call: UInt16(length),
            body: .noise(length)
        )
        let frames = Array(try sender.frames(of: message, frameSize: frame.size))
        let expected = (9 + length + frame.payloadLength - 1) / frame.payloadLength
        #expect(frames.count == expected, "\(length) bytes")
        #expect(frames.dropLast().allSatisfy { $0.count == frame.size }, "\(length) bytes")
        #expect(frames.map(\.count).reduce(0, +) == 9 + length + 7 * expected, "\(length) bytes")
        for order in [frames, frames.reversed()] {
            var receiver = BLETransport(receiving: frame.direction)
            let outcomes = receiver.receive(all: order)
            #expect(outcomes.last == .message(message), "\(length) bytes")
            #expect(outcomes.dropLast().allSatisfy { $0 == .incomplete }, "\(length) bytes")
            #expect(receiver.byteCount == 0 && receiver.messageCount == 0)
        }
    }

    @Test("A body above the threshold is compressed if that makes it shorter")
    func compression() throws {
        var sender = BLETransport(receiving: .fromPeripheral)
        func count(_ body: Data) throws -> Int {
            try sender.frames(
                of: Message(kind: .call, session: 1, call: 1, body: body),
                frameSize: 20
            )
            .count
        }
        #expect(try count(Data(count: 1_024)) == (9 + 1_024 + 12) / 13)
        #expect(try count(Data(count: 1_025)) <= 3)
        #expect(try count(.noise(1_025)) == (9 + 1_025 + 12) / 13)
    }

    @Test("Compressed messages around the threshold arrive", arguments: FrameSize.all)
    func compressed(frame: FrameSize) throws {
        for length in [1_023, 1_024, 1_025, 1_026, 5_000, 100_000] {
            var sender = BLETransport(receiving: frame.direction)
            let body = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 / 9) })
            let message = Message(kind: frame.kind, session: 1, call: 1, body: body)
            var receiver = BLETransport(receiving: frame.direction)
            let frames = try sender.frames(of: message, frameSize: frame.size)
            #expect(receiver.receive(all: frames).last == .message(message))
        }
    }

    @Test(
        "The longest message arrives within its bounds, and one more byte is refused",
        arguments: FrameSize.all.filter { $0.size > 20 }
    )
    func longest(frame: FrameSize) throws {
        var sender = BLETransport(receiving: frame.direction)
        var message = Message(kind: frame.kind, session: 1, call: 1, body: .noise(1 << 20))
        let frames = try sender.frames(of: message, frameSize: frame.size)
        var receiver = BLETransport(receiving: frame.direction)
        #expect(receiver.receive(all: frames).last == .message(message))
        message.body.append(0)
        #expect(throws: TransportError.tooLong(limit: 1 << 20)) {
            try sender.frames(of: message, frameSize: frame.size)
        }
    }

    @Test("65,536 frames of 20 bytes are the longest message at an ATT MTU of 23", .computing)
    func frameLimit() throws {
        let limit = 65_536 * 13 - 9
        var sender = BLETransport(receiving: .fromPeripheral)
        var message = Message(kind: .call, session: 1, call: 1, body: .noise(limit))
        let frames = try sender.frames(of: message, frameSize: 20)
        #expect(frames.count == 65_536)
        var receiver = BLETransport(receiving: .fromCentral)
        var last = BLETransport.Outcome.ignored
        var peak = 0
        for frame in frames {
            last = receiver.receive(frame, now: .zero)
            peak = max(peak, receiver.byteCount)
        }
        #expect(last == .message(message))
        #expect(peak <= 2 << 20)
        message.body.append(0)
        #expect(throws: TransportError.tooLong(limit: limit)) {
            try sender.frames(of: message, frameSize: 20)
        }
    }

    @Test("A frame size below 20 bytes counts as 20")
    func smallFrames() throws {
        var sender = BLETransport(receiving: .fromPeripheral)
        let message = Message(kind: .call, session: 1, call: 1, body: .noise(100))
        for size in [-1, 0, 7, 16, 19] {
            #expect(try sender.frames(of: message, frameSize: size).first?.count == 20)
        }
    }
}
