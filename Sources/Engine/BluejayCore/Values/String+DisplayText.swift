extension String {
    /// The text in one line and without codes for a terminal.
    ///
    /// What comes from the air or from bluetoothd may be anything: a line break would forge a line of a
    /// log, an escape sequence paint over it, a mark of direction turn it round. Each is shown as
    /// `\u{1B}`; other text stays as it is.
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
    /// Whether it ends a line, controls a terminal, or changes the direction of text.
    fileprivate var isHidden: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x2029: true
        case 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
