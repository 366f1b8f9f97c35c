import Foundation

@testable import Bleu

/// Feeds names, JSON and bodies of messages to the parsers of Bleu.
enum BleuFuzzing {
    static func play(_ bytes: Data) throws {
        var input = FuzzInput(bytes)
        switch input.number(below: 5) {
        case 0: try playElements(Data(input.rest))
        case 1: try playNames(String(decoding: input.rest, as: UTF8.self))
        case 2: try playFrame(Data(input.rest))
        case 3: try playBody(Data(input.rest))
        default: try playStream(&input)
        }
    }

    // MARK: JSON

    /// Splits an array; `JSONDecoder` must find the same elements.
    private static func playElements(_ array: Data) throws {
        let elements = JSONValue.elements(of: array)
        for element in elements ?? [] {
            try expect(element.count < array.count, "\(element.count) of \(array.count) bytes")
        }
        guard let values = try? JSONValue.decode([JSON].self, from: array),
            // Foundation detects UTF-16 and UTF-32, which are not sent.
            String(validating: array, as: UTF8.self)?.contains("\0") == false
        else { return }
        let read = try (elements ?? []).map { try JSONValue.decode(JSON.self, from: $0) }
        try expect(read == values, "\(values) are read as \(read)")
    }

    private enum JSON: Equatable, Decodable {
        case null
        case boolean(Bool)
        case number(Double)
        case text(String)
        case list([JSON])
        case object([String: JSON])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .boolean(value)
            } else if let number = try? container.decode(Double.self), !number.isNaN {
                self = .number(number)
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let list = try? container.decode([JSON].self) {
                self = .list(list)
            } else {
                self = .object(try container.decode([String: JSON].self))
            }
        }
    }

    private static func playBody(_ body: Data) throws {
        let message = Message(kind: .refusal, session: 1, call: 1, body: body)
        if let refusal = Refusal(message) {
            let characteristic = ServiceMapper.serviceUUID(named: "a")
            _ = (refusal.endsSession, refusal.description)
            _ = refusal.error(characteristic: characteristic, of: characteristic)
        }
        guard let error = try? JSONValue.decode(ThrownError.self, from: body) else { return }
        let sent = try JSONValue.encode(error)
        let again = try JSONValue.decode(ThrownError.self, from: sent)
        try expect(again == error, "\(error) becomes \(again)")
        _ = error.error([Marked.self])
    }

    private struct Marked: Error, Codable {
        var number: Int
        var text: String
        var inner: [Marked]?
    }

    // MARK: Names

    /// An actor of the program, so that a name can be the name of a method.
    private final class Target {}

    private static func playNames(_ text: String) throws {
        var name = MangledName(text[...])
        var length = 0
        while let identifier = name.identifier() {
            try expect(identifier.count <= 4_096, "an identifier has \(identifier.count) bytes")
            length += 1
            try expect(length <= text.utf8.count, "\(text) has \(length) identifiers")
        }
        _ = name.isTypeOrExtension()
        let type = _mangledTypeName(Target.self) ?? ""
        for mangled in [text, "$s\(type)\(text)", "$s\(type)\(text)FTE"] {
            try expect(
                !ServiceMapper.isTarget(mangled, method: text, of: Target.self),
                "\(mangled) is a method"
            )
        }
        try playPath(text)
        if let record = MethodRecord("$s", text: "distributed thunk \(text)") {
            try expect(record.parameterCount >= 0, "\(record.parameterCount) parameters")
            _ = (record.owner.text, record.owner.module, record.owner.isHidden)
        }
        try expect(
            ServiceMapper.characteristicUUID(for: text, named: "a")
                == ServiceMapper.characteristicUUID(for: ServiceMapper.baseName(text), named: "a"),
            "the characteristic of \(text) depends on its labels"
        )
    }

    private static func playPath(_ text: String) throws {
        var reader = TextReader(text)
        let path = TypePath(&reader)
        _ = (path.text, path.name, path.module, path.isGeneric, path.mayBe(path))
        try expect(
            path.isPathOrExtension(of: path) || path.isHidden,
            "\(path.text) is not itself"
        )
        var pieces = TextReader(text)
        while pieces.next != nil { _ = pieces.piece(before: ", ") }
    }

    // MARK: Frames

    private static func playFrame(_ bytes: Data) throws {
        guard let frame = Frame(bytes) else {
            return try expect(bytes.count < Frame.headerLength, "\(bytes.count) bytes are no frame")
        }
        try expect(
            frame.payload.count == bytes.count - Frame.headerLength,
            "\(frame.payload.count) of \(bytes.count) bytes"
        )
        _ = frame.isFromCentral
        guard let header = MessageHeader(frame.payload) else { return }
        try expect(header.encoded == frame.payload.prefix(MessageHeader.length), "\(header)")
        if let count = header.frameCount(payloadLength: frame.payload.count) {
            try expect(count > 0, "a message has \(count) frames")
        }
    }

    /// Plays the two ends of a stream; elements arrive in order, and no more than the window.
    private static func playStream(_ input: inout FuzzInput) throws {
        let first: UInt32 = input.integer()
        var receiver = StreamReceiver(first: first)
        var sender = StreamSender(first: first)
        var next = first
        while !input.isEmpty {
            switch input.number(below: 6) {
            case 0:
                guard sender.pull(), let number = sender.pulled() else { continue }
                try expect(number == next, "element \(number) follows \(next &- 1)")
                next &+= 1
                let verdict = receiver.received(number)
                try expect(verdict == .deliver || receiver.isEnded, "\(number): \(verdict)")
            case 1: if let credit = receiver.elementConsumed() { sender.granted(credit) }
            case 2:
                var attacked = receiver
                _ = attacked.received(input.integer())
            case 3: sender.granted(receiver.credit)
            case 4: sender.granted(receiver.credit &- UInt32(input.byte()))
            default: if input.number(below: 16) == 0 { receiver.end() }
            }
            if receiver.isEnded { return }
            try expect(
                next &- first <= receiver.credit &- first,
                "\(next) elements exceed the credit \(receiver.credit)"
            )
        }
    }
}
