import BluejayCurses

/// A line that the user types.
struct LineInput: Equatable {
    private static let maximumLength = 1024

    private(set) var text = ""

    /// Applies a key.
    ///
    /// - Returns: Whether the key edits a line.
    mutating func edit(_ key: TerminalKey) -> Bool {
        switch key {
        case .character(let character):
            if text.utf8.count < Self.maximumLength { text.append(character) }
        case .backspace: text = String(text.dropLast())
        case .control("u"): text = ""
        default: return false
        }
        return true
    }
}
