internal import BluejaySimulator

/// The script of a central, as written on the command line.
///
/// Steps are separated by `;` or the end of a line: `connect; subscribe 2A37; expect 2A37 3; leave`.
struct CentralScriptParser {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The deepest nesting of repetitions: each level takes stack.
    private static let maximumDepth = 100

    private var lines: ArraySlice<[Substring]>
    private var depth = 0

    private init(_ lines: ArraySlice<[Substring]>) {
        self.lines = lines
    }

    static func parse(_ text: String) throws(Failure) -> [CentralStep] {
        let lines = text.split(whereSeparator: { $0 == ";" || $0.isNewline })
            .map { $0.split(separator: " ") }
            .filter { !$0.isEmpty && !$0[0].hasPrefix("#") }
        var reader = CentralScriptParser(lines[...])
        let steps = try reader.steps(isInside: false)
        guard !steps.isEmpty else {
            throw Failure(description: "the script is empty; write at least one step")
        }
        return steps
    }

    private mutating func steps(isInside: Bool) throws(Failure) -> [CentralStep] {
        var steps: [CentralStep] = []
        while let words = lines.popFirst() {
            if words == ["end"] {
                guard isInside else { throw Failure(description: "end without repeat") }
                return steps
            }
            if words[0] == "repeat" {
                steps.append(try repeated(words))
            } else {
                steps.append(try step(words))
            }
        }
        guard !isInside else { throw Failure(description: "repeat without end") }
        return steps
    }

    private mutating func repeated(_ words: [Substring]) throws(Failure) -> CentralStep {
        let line = Line(words)
        let times = words.count > 1 ? try line.integer(1) : nil
        try line.check(atMost: 2)
        guard depth < Self.maximumDepth else {
            throw line.failure(
                "more than \(Self.maximumDepth) nested repetitions"
            )
        }
        depth += 1
        defer { depth -= 1 }
        let steps = try steps(isInside: true)
        return times.map { .repeat(steps, times: $0) } ?? .forever(steps)
    }

    private func step(_ words: [Substring]) throws(Failure) -> CentralStep {
        let line = Line(words)
        switch words[0] {
        case "connect", "pair", "execute", "leave", "vanish": return try bareStep(line)
        case "wait":
            try line.check(atMost: 2)
            return .wait(.seconds(try line.seconds(1)))
        case "read", "subscribe", "indicate", "unsubscribe":
            try line.check(atMost: 2)
            return try namedStep(line, try line.word(1))
        case "write", "command", "long", "prepare":
            try line.check(atMost: words[0] == "prepare" ? 4 : 3)
            return try writingStep(line, try line.word(1), try line.bytes(2))
        case "expect":
            try line.check(atMost: 4)
            let count = words.count > 2 ? try line.integer(2) : 1
            let seconds = words.count > 3 ? try line.seconds(3) : 30
            return .expect(try line.word(1), count: count, within: .seconds(seconds))
        default: throw line.failure("unknown step \(words[0])")
        }
    }

    private func bareStep(_ line: Line) throws(Failure) -> CentralStep {
        if line.words[0] == "connect" {
            try line.check(atMost: 2)
            guard line.words.count > 1 else {
                return .connectTo(adapter: nil, within: .seconds(3600))
            }
            guard line.words[1].hasPrefix("hci"), let number = Int(line.words[1].dropFirst(3))
            else { throw line.failure("the adapter must be hci0, hci1 …") }
            return .connectTo(adapter: number, within: .seconds(3600))
        }
        try line.check(atMost: 1)
        switch line.words[0] {
        case "pair": return .pair
        case "execute": return .execute
        case "vanish": return .loseLink
        default: return .disconnect
        }
    }

    private func namedStep(_ line: Line, _ name: String) throws(Failure) -> CentralStep {
        switch line.words[0] {
        case "read": .read(name)
        case "subscribe": .subscribe(name)
        case "indicate": .subscribe(name, .indications)
        default: .unsubscribe(name)
        }
    }

    private func writingStep(
        _ line: Line,
        _ name: String,
        _ value: [UInt8]
    ) throws(Failure) -> CentralStep {
        switch line.words[0] {
        case "write": return .write(name, value)
        case "command": return .write(name, value, .withoutResponse)
        case "long": return .write(name, value, .long)
        default:
            let offset = line.words.count > 3 ? try line.integer(3) : 0
            guard offset <= UInt16.max else {
                throw line.failure("the offset must be between 0 and 65535")
            }
            return .prepare(name, value, offset: offset)
        }
    }

    private struct Line {
        let words: [Substring]

        init(_ words: [Substring]) { self.words = words }

        func failure(_ text: String) -> Failure {
            Failure(description: "\(text), in: \(words.joined(separator: " "))")
        }

        func check(atMost count: Int) throws(Failure) {
            guard words.count <= count else { throw failure("too many arguments") }
        }

        func word(_ index: Int) throws(Failure) -> String {
            guard index < words.count else { throw failure("an argument is missing") }
            return String(words[index])
        }

        func integer(_ index: Int) throws(Failure) -> Int {
            guard let number = Int(try word(index)), number >= 0 else {
                throw failure("expected a number")
            }
            return number
        }

        func seconds(_ index: Int) throws(Failure) -> Double {
            guard let seconds = Double(try word(index)), (0...1e9).contains(seconds) else {
                throw failure("expected a number of seconds")
            }
            return seconds
        }

        func bytes(_ index: Int) throws(Failure) -> [UInt8] {
            let digits = try word(index)
            let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { start in
                UInt8(digits.dropFirst(start).prefix(2), radix: 16)
            }
            let isWhole =
                digits.count.isMultiple(of: 2) && digits.allSatisfy(\.isHexDigit)
                && bytes.count * 2 == digits.count
            guard isWhole else { throw failure("a value must be pairs of hexadecimal digits") }
            return bytes
        }
    }
}
