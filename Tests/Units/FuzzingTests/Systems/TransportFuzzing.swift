import Foundation

@testable import Bleu

/// Feeds an input to a transport and verifies the transport's guarantees.
///
/// Bit 0 of the first byte selects the direction, bit 1 the form. In the raw form, the rest is a list of
/// frames, each preceded by its length; length 0 lets 16 seconds pass. In the script form, the rest is a list
/// of orders to send messages and to deliver, lose, repeat or damage their frames.
struct TransportFuzzing {
    static func play(_ input: Data) throws {
        var play = Self(input)
        if input.first.map({ $0 & 2 == 0 }) ?? true {
            try play.playFrames()
        } else {
            try play.playScript()
        }
        try play.sendNextMessage()
    }

    private static let limits = {
        var limits = BleuConfiguration().transportLimits
        limits.messageLength = 2_000
        limits.bytes = 6_000
        limits.compressionThreshold = 100
        return limits
    }()

    private var input: Data.SubSequence
    private let direction: FrameDirection
    private var transport: BLETransport
    private var now = Duration.zero
    private var air: [(frame: Data, isDamaged: Bool)] = []
    /// The messages of a script, or `nil` in the raw form, in which any message may arrive.
    private var sent: [Message]?
    private var prefixes: Set<Data> = []

    private init(_ input: Data) {
        direction = input.first.map { $0 & 1 == 0 } ?? true ? .fromCentral : .fromPeripheral
        self.input = input.dropFirst()
        transport = BLETransport(receiving: direction, limits: Self.limits)
    }

    private mutating func next() -> Int { Int(input.popFirst() ?? 0) }

    private mutating func playFrames() throws {
        while !input.isEmpty {
            let length = next()
            if length == 0 { pass() }
            try deliver(Data(input.prefix(length)))
            input = input.dropFirst(length)
        }
    }

    private mutating func playScript() throws {
        sent = []
        while !input.isEmpty, air.count < 1_000 {
            switch next() % 8 {
            case 0, 1: send()
            case 2: if !air.isEmpty { try deliver(air.removeFirst().frame) }
            case 3: if let last = air.popLast() { try deliver(last.frame) }
            case 4: if let first = air.first { air.insert(first, at: 0) }
            case 5: if !air.isEmpty { air.removeFirst() }
            case 6: damage(bit: next() << 8 | next())
            default: pass()
            }
        }
        for (frame, _) in air { try deliver(frame) }
    }

    private mutating func send() {
        let kinds = FrameKind.allCases.filter { $0.direction == direction }
        let kind = kinds[next() % kinds.count]
        let call = UInt16(next() % 4)
        let size = [20, 182, 244, 510][next() % 4]
        let count = next() << 3
        let start = next()
        let step = next()
        let body = Data((0..<count).map { UInt8(truncatingIfNeeded: start + $0 * $0 / 7 * step) })
        let message = Message(kind: kind, session: 1, call: call, body: body)
        guard let frames = try? transport.frames(of: message, frameSize: size) else { return }
        sent?.append(message)
        air += frames.map { ($0, false) }
    }

    /// Changes one bit of the next frame: a checksum cannot detect every change of four bits.
    private mutating func damage(bit: Int) {
        guard let (frame, isDamaged) = air.first, !isDamaged else { return }
        air[0].frame[bit / 8 % frame.count] ^= 1 << (bit % 8)
        air[0].isDamaged = true
    }

    private mutating func pass() {
        now += .seconds(16)
        _ = transport.expire(now: now)
    }

    private mutating func deliver(_ frame: Data) throws {
        prefixes.insert(frame.prefix(5))
        if case .message(let message) = transport.receive(frame, now: now) { try check(message) }
        try expect(transport.byteCount <= 6_000, "\(transport.byteCount) bytes are stored")
        try expect(transport.messageCount <= 8, "\(transport.messageCount) messages are open")
        try expect(
            (transport.nextDeadline == nil) == (transport.messageCount == 0),
            "the deadline is \(String(describing: transport.nextDeadline))"
        )
    }

    private func check(_ message: Message) throws {
        try expect(message.kind.direction == direction, "\(message.kind) has the wrong direction")
        try expect(message.body.count <= 2_000, "the body has \(message.body.count) bytes")
        if let sent { try expect(sent.contains(message), "\(message) was not sent") }
        var receiver = BLETransport(receiving: direction, limits: Self.limits)
        var sender = receiver
        var last: BLETransport.Outcome?
        for frame in try sender.frames(of: message, frameSize: 182) {
            last = receiver.receive(frame, now: now)
        }
        try expect(last == .message(message), "\(message) changes when it is sent again")
    }

    /// Verifies that the next message arrives regardless of the input.
    private mutating func sendNextMessage() throws {
        let kind = direction == .fromCentral ? FrameKind.call : .value
        let call = (0...UInt16.max).first { call in
            !prefixes.contains(MessageKey(kind: kind, session: 7, call: call).prefix)
        }
        guard let call else { return }
        let message = Message(kind: kind, session: 7, call: call, body: Data(1...100))
        var last: BLETransport.Outcome?
        for frame in try transport.frames(of: message, frameSize: 20) {
            last = transport.receive(frame, now: now)
        }
        try expect(last == .message(message), "the next message did not arrive")
    }
}
