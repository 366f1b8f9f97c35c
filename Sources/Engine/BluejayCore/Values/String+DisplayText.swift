extension String {
    /// The text on one line and without terminal control codes.
    ///
    /// Text from the air or from bluetoothd may contain anything: a line break would forge a log line,
    /// an escape sequence overwrite one, a directional mark reverse it. Each such character is shown as
    /// `\u{1B}`; other text is unchanged.
    package var displayText: String {
        guard unicodeScalars.contains(where: \.isHidden) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isHidden {
                text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    /// Whether the character ends a line, controls a terminal or changes the text direction.
    fileprivate var isHidden: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x2029: true
        case 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
