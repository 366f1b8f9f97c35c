import BluejayCommandLine
import Foundation

/// Converts the bytes of a peer to text for a terminal, without control characters other than line breaks.
///
/// The bytes are one stream: a character or a line break may begin in one packet and end in the next.
struct PeerTextStream {
    /// The first bytes of a character whose rest has not arrived.
    private var incomplete = Data()
    private var endsWithCarriageReturn = false

    /// Returns the text of the characters that are complete.
    mutating func text(of packet: Data) -> String {
        let bytes = incomplete + packet
        let length = Self.lengthOfIncompleteCharacter(bytes)
        incomplete = Data(bytes.suffix(length))
        return printable(bytes.dropLast(length))
    }

    /// Returns the rest at the end of the stream, where an incomplete character is `\u{FFFD}`.
    mutating func end() -> String {
        defer { incomplete = Data() }
        return printable(incomplete)
    }

    private mutating func printable(_ bytes: Data) -> String {
        guard let last = bytes.last else { return "" }
        // The carriage return of the line break is already a line break.
        let isRest = endsWithCarriageReturn && bytes.first == UInt8(ascii: "\n")
        endsWithCarriageReturn = last == UInt8(ascii: "\r")
        return String(decoding: isRest ? bytes.dropFirst() : bytes, as: UTF8.self)
            .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map { String($0).printable }.joined(separator: "\n")
    }

    /// Returns the number of bytes at the end that are a part of a UTF-8 character.
    private static func lengthOfIncompleteCharacter(_ bytes: Data) -> Int {
        for (length, byte) in zip(1...3, bytes.reversed()) where byte & 0xC0 != 0x80 {
            let needed =
                switch byte {
                case 0xC2...0xDF: 2
                case 0xE0...0xEF: 3
                case 0xF0...0xF4: 4
                default: 1
                }
            return needed > length ? length : 0
        }
        return 0
    }
}
