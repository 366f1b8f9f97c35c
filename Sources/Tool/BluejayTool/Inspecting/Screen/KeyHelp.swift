import BluejayCurses

/// The keys of the inspector, for the last rows of the screen and for its help.
enum KeyHelp {
    private static let meanings = [
        ("↑ ↓ j k", "select a row"),
        ("Enter", "connect, open, connect again"),
        ("Esc", "back; ends the connection"),
        ("/", "filter the devices"),
        ("r  R", "read the value, all values"),
        ("w", "write the value"),
        ("n", "listen, or end listening"),
        ("p", "pair"),
        ("c", "record in a device file"),
        ("Ctrl-Z", "suspend the program"),
        ("q", "quit; Ctrl-C as well"),
    ]

    /// The keys that apply now, each with its effect.
    static func keys(_ state: InspectorState) -> [String] {
        if state.showsHelp { return ["any key: back"] }
        if let dialog = state.dialog { return keys(dialog) }
        guard let inspection = state.inspection else {
            return ["Enter connect", "/ filter", "? help", "q quit"]
        }
        if case .ended = inspection.link {
            return ["Enter connect", "Esc back", "? help", "q quit"]
        }
        let operations = ["r read", "w write", "n listen"]
        let rest = ["Esc back", "? help", "q quit"]
        guard !inspection.showsAttribute else { return operations + rest }
        let recording = inspection.recordingFile == nil ? "c record" : "c end recording"
        return operations + ["R all", "p pair", recording] + rest
    }

    private static func keys(_ dialog: InspectorDialog) -> [String] {
        switch dialog.purpose {
        case .write, .pair: ["y yes", "any other key: no"]
        case .value: ["Enter next", "Tab format", "Esc cancel"]
        case .filter, .recording: ["Enter ok", "Esc cancel"]
        case .reply: dialog.input == nil ? ["Esc reject"] : ["Enter ok", "Esc reject"]
        }
    }

    /// The lines of the help.
    static func page(width: Int) -> [TerminalScreen.Line] {
        let keys = meanings.map { "\($0.0.fitted(to: 9))\($0.1)" }
        let marks = ["r w n beside a row: its operations", "* before a value: it is listened to"]
        return (keys + marks).map { TerminalScreen.Line($0.truncated(to: width)) }
    }
}

extension [String] {
    /// Joins the texts to lines; texts that do not fit are omitted.
    func wrapped(to width: Int, rows: Int) -> [String] {
        var lines: [String] = []
        for text in self {
            if let last = lines.last, last.displayWidth + 2 + text.displayWidth <= width {
                lines[lines.count - 1] = last + "  " + text
            } else if lines.count < rows {
                lines.append(text.truncated(to: width))
            }
        }
        return lines
    }
}
