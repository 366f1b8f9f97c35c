import Foundation

/// Converts the lines of a terminal to bytes for a serial port.
struct UartLines {
    /// Whether lines are hexadecimal digits, sent as bytes without an end of line.
    let isHexadecimal: Bool
    /// The bytes after each line of text.
    let lineEnd: Data
    private var rest = Data()

    init(isHexadecimal: Bool, hasCarriageReturns: Bool) {
        self.isHexadecimal = isHexadecimal
        lineEnd = Data((hasCarriageReturns ? "\r\n" : "\n").utf8)
    }

    /// Returns the bytes of the lines completed by the input; `nil` is the end of the input, which completes
    /// the last line.
    ///
    /// - Throws: ``ToolFailure`` for a line that is not hexadecimal.
    mutating func bytes(of input: Data?) throws -> Data {
        rest += input ?? Data()
        var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let last = lines.popLast().map { Data($0) } ?? Data()
        rest = input == nil ? Data() : last
        if input == nil, !last.isEmpty { lines.append(last) }
        return try lines.reduce(into: Data()) { $0 += try bytes(ofLine: Data($1)) }
    }

    private func bytes(ofLine line: Data) throws -> Data {
        let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        guard isHexadecimal else { return text + lineEnd }
        let digits = text.filter { $0 != UInt8(ascii: " ") }
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { start in
            let pair = digits.dropFirst(start).prefix(2)
            return pair.contains(UInt8(ascii: "+")) || pair.contains(UInt8(ascii: "-"))
                ? nil : UInt8(String(decoding: pair, as: UTF8.self), radix: 16)
        }
        guard digits.count.isMultiple(of: 2), bytes.count * 2 == digits.count else {
            throw ToolFailure("expected pairs of hexadecimal digits")
        }
        return Data(bytes)
    }
}
