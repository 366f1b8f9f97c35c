extension String {
    /// The text in lines that fit, broken between words; what begins behind the first is two columns further in.
    ///
    /// A word that is longer than a line stays whole. Codes for colours take no room.
    ///
    /// - Parameter width: The columns of a line; nil is any number.
    /// - Returns: At least one line.
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

    /// The columns that it takes, without codes for colours.
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
