extension String {
    /// The number of terminal columns that the text takes.
    var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

    /// Returns the text, or as much as fits, with a trailing `…`.
    func truncated(to width: Int) -> String {
        guard displayWidth > width else { return self }
        guard width > 0 else { return "" }
        var room = width - 1
        let kept = prefix { character in
            room -= character.displayWidth
            return room >= 0
        }
        return kept + "…"
    }

    /// Cuts or pads the text to exactly `width` columns.
    func fitted(to width: Int) -> String {
        let text = truncated(to: width)
        return text + String(repeating: " ", count: max(0, width - text.displayWidth))
    }

    var trimmedAtEnd: String {
        String(self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)])
    }
}

extension Character {
    // Wide characters by East Asian Width (Unicode Standard Annex 11), as ranges, and emoji.
    fileprivate var displayWidth: Int {
        guard let first = unicodeScalars.first, !isASCII else { return 1 }
        if first.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch first.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return 2
        default:
            return first.properties.generalCategory == .nonspacingMark ? 0 : 1
        }
    }
}
