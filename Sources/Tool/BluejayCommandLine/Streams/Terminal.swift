internal import BluejayStreams
import Foundation

/// The capabilities of a demo's output: colours and redrawing on a terminal, plain text elsewhere.
package struct Terminal {
    /// The style of text on a terminal.
    ///
    /// `rawValue` is the parameter of the escape sequence.
    package enum Style: Int {
        case bold = 1
        case dim = 2
        case red = 31
        case green = 32
        case yellow = 33
    }

    private static let escape = "\u{1B}["

    /// Whether the output is a terminal that understands escape sequences.
    package let isInteractive: Bool

    /// Whether text gets colours.
    package let hasColor: Bool

    /// Creates a terminal with given capabilities, for example for a test.
    package init(isInteractive: Bool, hasColor: Bool) {
        self.isInteractive = isInteractive
        self.hasColor = isInteractive && hasColor
    }

    /// Detects the capabilities from standard output, and from `TERM` and `NO_COLOR`.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.init(
            isOutputATerminal: isatty(STDOUT_FILENO) == 1,
            environment: environment
        )
    }

    /// Detects the capabilities from the environment alone.
    package init(isOutputATerminal: Bool, environment: [String: String]) {
        let isDumb = environment["TERM", default: "dumb"] == "dumb"
        self.init(
            isInteractive: isOutputATerminal && !isDumb,
            hasColor: environment["NO_COLOR", default: ""].isEmpty
        )
    }

    /// Returns the text in a style, or unchanged without colours.
    package func styled(_ text: String, _ style: Style) -> String {
        hasColor ? "\(Self.escape)\(style.rawValue)m\(text)\(Self.escape)0m" : text
    }

    /// Returns the present size of standard output, as a screen.
    ///
    /// - Parameter leavingRoom: Whether a third of the rows is for other lines.
    /// - Returns: The screen.
    package func screen(leavingRoom: Bool) -> ChartScreen {
        guard let size = StandardStreams.terminalSize(of: STDOUT_FILENO) else {
            return ChartScreen(columns: 80, rows: 24)
        }
        return ChartScreen(
            columns: size.columns,
            rows: leavingRoom ? size.rows - size.rows / 3 : size.rows
        )
    }

    /// The present size of standard output; 80 columns and 24 rows if it is unknown.
    package var size: (columns: Int, rows: Int) {
        StandardStreams.terminalSize(of: STDOUT_FILENO) ?? (80, 24)
    }

    /// Whether standard error shares the terminal of standard output.
    package static var showsErrors: Bool { StandardStreams.shareTerminal }

    /// The sequence that clears a terminal.
    package var cleared: String { isInteractive ? "\(Self.escape)2J\(Self.escape)H" : "" }

    /// Returns the sequence that erases the last `previous` lines.
    package func erased(_ previous: Int) -> String {
        isInteractive && previous > 0 ? "\(Self.escape)\(previous)A\r\(Self.escape)J" : ""
    }

    /// Returns the output that replaces the last `previous` lines by `lines`.
    ///
    /// Without a terminal, the new lines follow the old ones.
    package func redraw(_ lines: [String], over previous: Int) -> String {
        let text = lines.map { $0 + "\n" }
        guard isInteractive else { return text.joined() }
        let back = previous > 0 ? "\(Self.escape)\(previous)A\r" : ""
        // Clear each line to its end, then everything below the last one.
        return back + lines.map { "\($0)\(Self.escape)K\n" }.joined() + "\(Self.escape)J"
    }
}

extension String {
    /// The text with everything that could move the cursor replaced by `\u{FFFD}`.
    ///
    /// Any device can send a name over the air, and a terminal obeys the escape sequences in it.
    package var printable: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
                    default: scalar
                    }
                }
            )
        )
    }
}
