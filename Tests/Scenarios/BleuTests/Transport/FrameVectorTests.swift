import Foundation
import Testing

@testable import Bleu

/// A message and its frames, computed independently with Python's `struct` and `zlib.crc32`.
struct FrameVector: CustomTestStringConvertible, Swift.Sendable {
    let name: String
    let message: Message
    let size: Int
    let frames: [String]

    var testDescription: String { name }

    init(_ name: String, _ message: Message, size: Int = 20, _ frames: [String]) {
        self.name = name
        self.message = message
        self.size = size
        self.frames = frames
    }

    static let all: [Self] = [
        Self(
            "an empty body",
            Message(kind: .cancel, session: 0xBEEF, call: 1),
            ["13efbe01000000000000000086d397af"]
        ),
        Self(
            "a call without arguments in one frame",
            Message(kind: .call, session: 0x1234, call: 1, body: Data("[]".utf8)),
            ["1134120100000000020000002912a6415b5d"]
        ),
        Self(
            "a call without answer in two frames",
            Message(
                kind: .call,
                session: 0x1234,
                call: 0xFFFF,
                flags: .needsNoReply,
                body: Data("[21.5,\"°C\"]".utf8)
            ),
            ["113412ffff0000080c000000ed6f8fb25b32312e", "113412ffff0100352c22c2b043225d"]
        ),
        Self(
            "a call of a registered type",
            Message(
                kind: .call,
                session: 1,
                call: 2,
                flags: .namesTarget,
                body: Data("$s1A\0[]".utf8)
            ),
            ["1101000200000004070000001bbd1b7924733141", "11010002000100005b5d"]
        ),
        Self(
            "a value at an ATT MTU of 185",
            Message(
                kind: .value,
                session: 0xA55A,
                call: 0x0102,
                body: Data("{\"celsius\":21.5,\"humidity\":40}".utf8)
            ),
            size: 182,
            [
                "185aa502010000001e000000467f8ef47b2263656c73697573223a32312e352c2268756d6964697479"
                    + "223a34307d"
            ]
        ),
        Self(
            "a credit that fills its frame",
            Message(kind: .credit, session: 7, call: 9, body: Data([16, 0, 0, 0])),
            ["14070009000000000400000008abc87c10000000"]
        ),
        Self(
            "an element",
            Message(
                kind: .element,
                session: 7,
                call: 9,
                body: Data([3, 0, 0, 0]) + Data("\"up\"".utf8)
            ),
            ["1d07000900000000080000009bb32ec603000000", "1d07000900010022757022"]
        ),
        Self(
            "a refusal",
            Message(kind: .refusal, session: 7, call: 9, body: Data("\"busy\"".utf8)),
            ["1b07000900000000060000002fae90c922627573", "1b0700090001007922"]
        ),
    ]
}

@Suite("Frames of known messages")
struct FrameVectorTests {
    @Test("A message becomes exactly these frames", arguments: FrameVector.all)
    func sent(vector: FrameVector) throws {
        var transport = BLETransport(receiving: .fromCentral)
        let frames = try transport.frames(of: vector.message, frameSize: vector.size)
        #expect(frames.map(\.hex) == vector.frames)
    }

    @Test("These frames become the message", arguments: FrameVector.all)
    func received(vector: FrameVector) {
        var transport = BLETransport(receiving: vector.message.kind.direction)
        let outcomes = transport.receive(all: vector.frames.map { Data(hex: $0) })
        #expect(outcomes.last == .message(vector.message))
        #expect(outcomes.dropLast().allSatisfy { $0 == .incomplete })
    }

    @Test("A stream of another deflater is expanded")
    func foreignStream() {
        var transport = BLETransport(receiving: .fromPeripheral)
        let frames = [
            "180100010000000111000000cee4f4414b4c1c05", "18010001000100a360148c8251300a46c1500700",
        ]
        let outcomes = transport.receive(all: frames.map { Data(hex: $0) })
        let body = Data(repeating: UInt8(ascii: "a"), count: 2_000)
        let message = Message(kind: .value, session: 1, call: 1, body: body)
        #expect(outcomes == [.incomplete, .message(message)])
        guard case .message(let received) = outcomes.last else { return }
        #expect(received.body.startIndex == 0)
    }

    @Test("The numbers of the kinds match the page about Bleu")
    func kinds() {
        #expect(
            FrameKind.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15]
        )
    }
}
