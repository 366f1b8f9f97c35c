/// What a terminal of any size shows of a chart: two lines above it, and as much of it as there is room.
package struct ChartScreen: Equatable {
    /// The largest chart.
    private static let width = 72
    private static let height = 12

    /// How many values are worth being remembered.
    package static let capacity = width

    private let columns: Int
    private let rows: Int

    /// A terminal of so many columns and rows.
    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// The lines from the top: the head, the state, the chart.
    ///
    /// There is a row left for the cursor, and no line reaches the last column: nothing scrolls or wraps.
    package func lines(head: String, state: String, _ chart: HeartRateChart) -> [String] {
        let width = max(0, min(Self.width, columns - 1))
        let height = min(Self.height, rows - 3)
        let texts = [head, state].prefix(max(0, rows - 1)).map { cut($0) }
        return texts + chart.lines(width: width, height: height)
    }

    /// As much of a text as fits; what is not ASCII may be two columns wide.
    private func cut(_ text: String) -> String {
        var room = columns - 1
        return String(
            text.prefix { character in
                room -= character.isASCII ? 1 : 2
                return room >= 0
            }
        )
    }
}
