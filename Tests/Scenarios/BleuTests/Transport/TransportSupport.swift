import Foundation
import TestSupport
import Testing

@testable import Bleu

/// Frame sizes for an ATT MTU of 23, 185, 247 and 517, in one direction.
struct FrameSize: CustomTestStringConvertible, Swift.Sendable {
    let direction: FrameDirection
    let size: Int

    static let all: [Self] = [23, 185, 247, 517].flatMap { mtu in
        [
            Self(direction: .fromCentral, size: min(mtu - 3, 510)),
            Self(direction: .fromPeripheral, size: min(mtu - 3, 512)),
        ]
    }

    var payloadLength: Int { size - 7 }
    var kind: FrameKind { direction == .fromCentral ? .call : .value }
    var testDescription: String { "\(direction), \(size) bytes" }
}

extension BLETransport {
    /// Receives frames in order, at time 0.
    mutating func receive(all frames: some Sequence<Data>) -> [Outcome] {
        frames.map { receive($0, now: .zero) }
    }
}

extension [BLETransport.Outcome] {
    var messages: [Message] {
        compactMap { if case .message(let message) = $0 { message } else { nil } }
    }
}

extension Data {
    static func noise(_ count: Int, seed: UInt64 = 1) -> Data {
        var random = SeededGenerator(seed: seed)
        let words = (0..<(count + 7) / 8).map { _ in random.next() }
        return unsafe words.withUnsafeBytes { unsafe Data($0.prefix(count)) }
    }

    init(hex: String) {
        let digits = Array(hex.utf8)
        self.init(
            stride(from: 0, to: digits.count, by: 2).map { at in
                UInt8(String(decoding: digits[at..<at + 2], as: UTF8.self), radix: 16) ?? 0
            }
        )
    }

    var hex: String { map { String(format: "%02x", $0) }.joined() }
}

/// Frames of a call with the body `noise(length)`.
func callFrames(
    _ length: Int,
    call: UInt16 = 1,
    size: Int = 20,
    kind: FrameKind = .call
) throws -> [Data] {
    var sender = BLETransport(receiving: .fromPeripheral)
    let message = Message(kind: kind, session: 9, call: call, body: .noise(length))
    return Array(try sender.frames(of: message, frameSize: size))
}
