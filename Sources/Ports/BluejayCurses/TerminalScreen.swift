internal import CBluejayCurses
import Glibc

/// The whole terminal of standard input and output, drawn with ncurses.
///
/// A process has one screen at a time. When the process exits, the terminal gets its former content and
/// settings, also without ``close()``.
@MainActor
package final class TerminalScreen {
    /// The style of a line; a terminal without colors shows the other styles.
    package struct Style: OptionSet, Sendable {
        package let rawValue: Int32

        package init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        package static let bold = Style(rawValue: Int32(BLUEJAY_BOLD))
        package static let dim = Style(rawValue: Int32(BLUEJAY_DIM))
        package static let reversed = Style(rawValue: Int32(BLUEJAY_REVERSED))
        package static let red = Style(rawValue: Int32(BLUEJAY_RED))
        package static let green = Style(rawValue: Int32(BLUEJAY_GREEN))
        package static let yellow = Style(rawValue: Int32(BLUEJAY_YELLOW))
    }

    /// A line of the screen.
    package struct Line: Equatable, Sendable {
        /// The text, without control characters.
        package let text: String
        package let style: Style

        package init(_ text: String, _ style: Style = []) {
            self.text = text
            self.style = style
        }
    }

    /// Whether the terminal can show a screen, by `TERM`.
    package nonisolated static var isPossible: Bool { bluejay_screen_is_possible() }

    /// Whether the terminal shows more than ASCII, by the locale.
    package var isUnicode: Bool { bluejay_screen_is_unicode() }

    /// Opens the screen; fails for an unknown terminal.
    ///
    /// - Parameter hasColor: Whether to use colors.
    package init?(hasColor: Bool) {
        guard bluejay_screen_open(hasColor) else { return nil }
    }

    /// Replaces the content of the screen; does nothing while the terminal is not reading.
    ///
    /// - Parameters:
    ///   - lines: The lines from the top.
    ///   - cursor: The position of the cursor, from 0; `nil` hides the cursor.
    ///   - size: The present size of the terminal.
    /// - Returns: Whether the screen shows the lines.
    package func show(
        _ lines: [Line],
        cursor: (column: Int, row: Int)?,
        size: (columns: Int, rows: Int)
    ) -> Bool {
        guard bluejay_screen_is_ready() else { return false }
        bluejay_screen_resize(Int32(clamping: size.columns), Int32(clamping: size.rows))
        bluejay_screen_clear()
        for (row, line) in lines.prefix(size.rows).enumerated() {
            unsafe bluejay_screen_put(Int32(clamping: row), line.text, line.style.rawValue)
        }
        bluejay_screen_show(
            Int32(clamping: cursor?.row ?? -1),
            Int32(clamping: cursor?.column ?? 0)
        )
        return true
    }

    /// Sends the whole content again with the next ``show(_:cursor:size:)``.
    package func repaint() { bluejay_screen_repaint() }

    /// Returns the next key without waiting, or `nil` without a pressed key.
    package func nextKey() -> TerminalKey? {
        var scalar: UInt32 = 0
        let kind = unsafe bluejay_screen_key(&scalar)
        return TerminalKey(kind: kind, scalar: scalar)
    }

    /// Restores the terminal and stops the job, as Ctrl-Z does, and returns when the job continues.
    package func suspend() { bluejay_screen_suspend() }

    /// Restores the content and the settings of the terminal.
    package func close() { bluejay_screen_close() }
}
