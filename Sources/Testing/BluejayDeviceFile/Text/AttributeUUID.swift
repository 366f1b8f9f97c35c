/// A UUID in its shortest form and in upper case: 4, 8 or 36 characters.
package struct AttributeUUID: Hashable, Swift.Sendable, CustomStringConvertible {
    private static let base = "-0000-1000-8000-00805F9B34FB"
    private static let groups = [8, 4, 4, 4, 12]

    package let description: String

    /// Parses a UUID of 16, 32 or 128 bits: 4, 8 or 36 characters, in either case, with or without `0x`;
    /// returns `nil` for any other text.
    package init?(_ text: String) {
        let upper = text.withoutRadix.uppercased()
        let parts = upper.split(separator: "-", omittingEmptySubsequences: false)
        guard upper.utf8.allSatisfy({ HexDigits.isDigit($0) || $0 == UInt8(ascii: "-") }),
            parts.map(\.utf8.count) == Self.groups || parts.map(\.utf8.count) == [4]
                || parts.map(\.utf8.count) == [8]
        else { return nil }
        var short = upper.hasSuffix(Self.base) ? String(upper.prefix(8)) : upper
        if short.utf8.count == 8, short.hasPrefix("0000") { short.removeFirst(4) }
        description = short
    }

    /// The number of bytes it takes in an advertisement.
    package var length: Int {
        switch description.utf8.count {
        case 4: 2
        case 8: 4
        default: 16
        }
    }
}
