import BluejayCommandLine
import BluejayCurses

/// The picture of the inspector on a terminal of any size.
struct InspectorScreen: Equatable {
    typealias Line = TerminalScreen.Line

    /// The size in columns and rows.
    struct Size: Equatable {
        let columns: Int
        let rows: Int

        /// The smallest size with a list.
        static let minimum = Size(columns: 24, rows: 8)
    }

    /// The lines from the top, as many as rows, each as wide as the screen at most.
    let lines: [Line]
    /// The position of the cursor in an input, from 0.
    let cursorColumn: Int?
    let cursorRow: Int?

    /// Draws the state.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - time: The present time, as for the state.
    ///   - size: The size of the terminal.
    init(_ state: InspectorState, at time: Double, size: Size) {
        guard size.columns >= Size.minimum.columns, size.rows >= Size.minimum.rows else {
            self.init(Self.hint(size))
            return
        }
        let width = size.columns
        let keys = KeyHelp.keys(state).wrapped(to: width, rows: 2)
        let (text, cursor) = Self.text(state, width: width, rows: size.rows / 3)
        let room = size.rows - 1 - text.count - keys.count
        let page = Self.page(state, at: time, width: width, rows: room)
        let body = page.body.prefix(room)
        let space = Array(repeating: Line(""), count: room - body.count)
        self.init(
            [Line(Self.title(page.title, page.status, width: width), .bold)] + body + space + text
                + keys.map { Line($0, .dim) },
            cursor: cursor.map { ($0, room + text.count) }
        )
    }

    private init(_ lines: [Line], cursor: (column: Int, row: Int)? = nil) {
        self.lines = lines
        cursorColumn = cursor?.column
        cursorRow = cursor?.row
    }

    private static func hint(_ size: Size) -> [Line] {
        let minimum = Size.minimum
        let text =
            "the window is too small; the inspector needs \(minimum.columns) columns and "
            + "\(minimum.rows) rows"
        return text.wrapped(to: size.columns).prefix(size.rows)
            .map { Line($0.truncated(to: size.columns)) }
    }

    /// A title, the state at its right, and the lines below.
    struct Page {
        let title: String
        let status: String
        let body: [Line]
    }

    private static func page(
        _ state: InspectorState,
        at time: Double,
        width: Int,
        rows: Int
    ) -> Page {
        if state.showsHelp {
            return Page(title: "keys", status: "", body: KeyHelp.page(width: width))
        }
        guard let inspection = state.inspection else {
            return DeviceListScreen(state, at: time).page(width: width, rows: rows)
        }
        let screen = DeviceScreen(inspection, at: time)
        return inspection.showsAttribute
            ? screen.attributePage(width: width, rows: rows)
            : screen.page(width: width, rows: rows)
    }

    /// Returns a line with a text at each end; the one at the left is cut first.
    private static func title(_ left: String, _ right: String, width: Int) -> String {
        let right = right.truncated(to: width / 2)
        guard !right.isEmpty else { return left.truncated(to: width) }
        return left.fitted(to: width - right.displayWidth - 2) + "  " + right
    }

    /// Returns the question, or else the message of at least one line, and the column of the cursor.
    private static func text(
        _ state: InspectorState,
        width: Int,
        rows: Int
    ) -> (lines: [Line], cursor: Int?) {
        if state.showsHelp { return ([], nil) }
        var lines: [Line] = []
        if let message = state.message {
            lines = wrapped(message.text, width, message.isFailure ? .red : .green)
        } else if let unavailability = state.unavailability, state.dialog == nil {
            lines = wrapped(unavailability, width, .red)
        }
        guard let dialog = state.dialog else {
            return (lines.isEmpty ? [Line("")] : Array(lines.prefix(rows)), nil)
        }
        let question = wrapped(dialog.question, width, .yellow)
        guard let input = dialog.input else {
            return ((lines + question).suffix(rows), nil)
        }
        let typed = "> " + input.text.printable.suffixed(to: width - 3)
        lines = (lines + question).suffix(rows - 1) + [Line(typed, .bold)]
        return (lines, typed.displayWidth)
    }

    private static func wrapped(
        _ text: String,
        _ width: Int,
        _ style: TerminalScreen.Style
    ) -> [Line] {
        text.printable.wrapped(to: width).map { Line($0.truncated(to: width), style) }
    }
}

extension String {
    /// Returns as much of the end of the text as fits.
    func suffixed(to width: Int) -> String {
        var text = self[...]
        while String(text).displayWidth > width { text = text.dropFirst() }
        return String(text)
    }
}
