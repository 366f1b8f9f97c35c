extension StringProtocol {
    /// The text with hyphens if it is a UUID of 32 digits, and otherwise the unchanged text.
    var hyphenatedUUID: String {
        guard utf8.count == 32, allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            return String(self)
        }
        var rest = Substring(self)
        return [8, 4, 4, 4, 12].map { length in
            defer { rest = rest.dropFirst(length) }
            return String(rest.prefix(length))
        }.joined(separator: "-")
    }
}
