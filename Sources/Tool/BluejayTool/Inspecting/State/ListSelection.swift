import BluejayCurses

/// The keys that move a selection.
enum ListSelection {
    private static let page = 10

    /// Returns the new index in a list, or `nil` for a key that moves nothing.
    static func index(after key: TerminalKey, from index: Int, of count: Int) -> Int? {
        let moved: Int
        switch key {
        case .up, .character("k"): moved = index - 1
        case .down, .character("j"): moved = index + 1
        case .pageUp: moved = index - page
        case .pageDown: moved = index + page
        case .home, .character("g"): moved = 0
        case .end, .character("G"): moved = count - 1
        default: return nil
        }
        return max(0, min(moved, count - 1))
    }

    /// Returns the range of a list that a number of rows shows, with the selection in the middle if possible.
    static func window(around index: Int, of count: Int, rows: Int) -> Range<Int> {
        let start = max(0, min(index - rows / 2, count - rows))
        return start..<min(count, start + max(0, rows))
    }
}
