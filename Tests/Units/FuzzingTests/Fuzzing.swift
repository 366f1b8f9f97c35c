import Foundation

/// A kind of input that a stranger controls, and the guarantees for each input.
///
/// `Tests/Programs/Fuzzing/run` searches for inputs that break a guarantee; the tests replay the inputs in
/// `Tests/Programs/Fuzzing/Corpus`.
struct Fuzzing: Swift.Sendable {
    /// A guarantee that an input breaks.
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    /// The name of the corpus.
    let name: String
    /// Plays an input; throws a ``Violation``, or traps, if the input breaks a guarantee.
    let play: @Sendable (Data) throws -> Void

    static let all = [
        Fuzzing(name: "advertising", play: AdvertisingFuzzing.play),
        Fuzzing(name: "bleu", play: BleuFuzzing.play),
        Fuzzing(name: "bluez", play: BlueZFuzzing.play),
        Fuzzing(name: "errors", play: AnswerFuzzing.play),
        Fuzzing(name: "files", play: FileFuzzing.play),
        Fuzzing(name: "fragments", play: FragmentFuzzing.play),
        Fuzzing(name: "messages", play: MessageFuzzing.play),
        Fuzzing(name: "server", play: ServerFuzzing.play),
        Fuzzing(name: "text", play: TextFuzzing.play),
        Fuzzing(name: "transport", play: TransportFuzzing.play),
        Fuzzing(name: "values", play: ValueFuzzing.play),
    ]
}

/// Throws a violation unless the condition holds.
func expect(_ condition: Bool, _ text: @autoclosure () -> String) throws {
    guard condition else { throw Fuzzing.Violation(description: text()) }
}

/// The bytes of an input, which a fuzzer reads as decisions; an exhausted input reads as zeros.
struct FuzzInput {
    private(set) var rest: Data.SubSequence

    init(_ bytes: Data) {
        rest = bytes[...]
    }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func flag() -> Bool { byte() & 1 != 0 }

    mutating func number(below limit: Int) -> Int { limit < 2 ? 0 : Int(byte()) % limit }

    mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number {
        (0..<Number.bitWidth / 8).reduce(0) { number, _ in
            number << 8 | Number(truncatingIfNeeded: byte())
        }
    }

    mutating func choice<Element>(of elements: [Element]) -> Element {
        elements[number(below: elements.count)]
    }

    /// Bytes preceded by their number.
    mutating func bytes() -> Data { data(of: Int(byte())) }

    mutating func data(of count: Int) -> Data {
        let data = Data(rest.prefix(count))
        rest = rest.dropFirst(count)
        return data
    }

    mutating func text() -> String { String(decoding: bytes(), as: UTF8.self) }

    /// Splits data into parts of one or more bytes.
    mutating func parts(of data: Data) -> [Data] {
        var parts: [Data] = []
        var rest = data[...]
        while !rest.isEmpty {
            let count = 1 + number(below: 64)
            parts.append(Data(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return parts
    }
}
