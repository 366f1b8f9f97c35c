import BluejayCommandLine
import Foundation

@testable import Bluejay
@testable import BluejayTool

/// Feeds a stream of bytes to the rules that merge notifications, and to the text of the UART commands; the
/// parts of the stream must not matter.
enum TextFuzzing {
    static func play(_ bytes: Data) throws {
        var input = FuzzInput(bytes)
        let isHexadecimal = input.flag()
        let hasCarriageReturns = input.flag()
        let stream = input.bytes()
        let parts = input.parts(of: stream)
        try playText(stream, parts)
        try playTable(String(decoding: stream, as: UTF8.self).printable, input.number(below: 40))
        for rule in rules(&input) {
            let whole = try values([stream], rule)
            let split = try values(parts, rule)
            try expect(split == whole, "\(parts) are merged to \(split), not to \(whole)")
        }
        let lines = UartLines(
            isHexadecimal: isHexadecimal,
            hasCarriageReturns: hasCarriageReturns
        )
        let whole = try? send([stream], lines)
        let split = try? send(parts, lines)
        try expect(whole == split, "\(parts) are sent as \(String(describing: split))")
    }

    private static func rules(_ input: inout FuzzInput) -> [ValueMerging] {
        [
            .lines, .separated(by: Data([0x0A]) + input.data(of: input.number(below: 3))),
            .length(input.number(below: 24)), .lengthPrefixed(UInt8.self),
            .lengthPrefixed(UInt16.self), .lengthPrefixed(UInt64.self),
        ]
    }

    private static func values(_ parts: [Data], _ rule: ValueMerging) throws -> [Data] {
        var merger = ValueMerging.Merger(rule)
        return try parts.flatMap { try merger.receive($0) }
    }

    /// A cell of a table has exactly the width of its column.
    private static func playTable(_ text: String, _ width: Int) throws {
        let cell = text.fitted(to: width)
        try expect(
            cell.displayWidth == width,
            "\(cell.debugDescription) has \(cell.displayWidth) columns, not \(width)"
        )
    }

    private static func playText(_ stream: Data, _ parts: [Data]) throws {
        let whole = text(of: [stream])
        let split = text(of: parts)
        try expect(
            whole.unicodeScalars.elementsEqual(split.unicodeScalars),
            "\(parts.map { [UInt8]($0) }) are \(split.debugDescription), not \(whole.debugDescription)"
        )
    }

    private static func text(of parts: [Data]) -> String {
        var stream = PeerTextStream()
        return parts.reduce(into: "") { $0 += stream.text(of: $1) } + stream.end()
    }

    private static func send(_ parts: [Data], _ lines: UartLines) throws -> Data {
        var lines = lines
        return try parts.reduce(into: Data()) { $0 += try lines.bytes(of: $1) }
            + lines.bytes(of: nil)
    }
}
