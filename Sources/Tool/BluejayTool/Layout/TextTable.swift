/// A table fitted to a width: text that is too long is cut, never wrapped.
struct TextTable {
    struct Column {
        let title: String
        /// The width below which another column is removed instead.
        let minimum: Int
        /// Whether the column stays when not all columns fit.
        let isNeeded: Bool

        init(_ title: String, minimum: Int, isNeeded: Bool = false) {
            self.title = title
            self.minimum = minimum
            self.isNeeded = isNeeded
        }
    }

    private static let gap = 2

    private let columns: [Column]

    /// Creates a table of columns from the left; the rightmost optional column is removed first.
    init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Returns the header and the rows, without trailing spaces.
    ///
    /// Each row has a cell for each column; columns that are empty in all rows are omitted. A `nil` width is
    /// unlimited.
    func lines(_ rows: [[String]], width: Int?) -> [String] {
        let cells = [columns.map(\.title)] + rows
        let fullWidths = columns.indices.map { index in
            cells.map { $0[index].displayWidth }.max() ?? 0
        }
        var visible = columns.indices.filter { index in
            columns[index].isNeeded || rows.contains { !$0[index].isEmpty }
        }
        var widths = fullWidths
        if let width { narrow(&visible, &widths, to: width) }
        return cells.map { row in
            visible.map { row[$0].fitted(to: widths[$0]) }
                .joined(separator: String(repeating: " ", count: Self.gap)).trimmedAtEnd
        }
    }

    private func narrow(_ visible: inout [Int], _ widths: inout [Int], to width: Int) {
        func total(_ widths: [Int]) -> Int {
            visible.reduce(0) { $0 + widths[$1] } + Self.gap * max(0, visible.count - 1)
        }
        let narrowest = columns.indices.map { min(widths[$0], columns[$0].minimum) }
        while total(narrowest) > width, let last = visible.last(where: { !columns[$0].isNeeded }) {
            visible.removeAll { $0 == last }
        }
        while total(widths) > width {
            // Columns shrink to their minimum first, then further if necessary.
            let spare = visible.max { widths[$0] - narrowest[$0] < widths[$1] - narrowest[$1] }
            let widest = visible.max { widths[$0] < widths[$1] }
            guard let index = spare.flatMap({ widths[$0] > narrowest[$0] ? $0 : widest }),
                widths[index] > 1
            else { return }
            widths[index] -= 1
        }
    }
}
