extension String {
    /// Wraps the text between words; continuation lines are indented by two more columns.
    ///
    /// A word longer than a line is not broken. Colour codes do not count. A `nil` width is unlimited.
    func wrapped(to width: Int?) -> [String] {
        guard let width, visibleWidth > width else { return [self] }
        let margin = String(prefix { $0 == " " })
        var lines: [String] = []
        var line = margin
        var isEmpty = true
        for word in dropFirst(margin.count).split(separator: " ") {
            if !isEmpty, line.visibleWidth + 1 + String(word).visibleWidth > width {
                lines.append(line)
                line = margin + "  "
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return lines + [line]
    }

    /// The number of columns, without colour codes.
    private var visibleWidth: Int {
        var width = 0
        var isCode = false
        for character in self {
            if character == "\u{1B}" {
                isCode = true
            } else if isCode {
                isCode = character != "m"
            } else {
                width += String(character).displayWidth
            }
        }
        return width
    }
}
