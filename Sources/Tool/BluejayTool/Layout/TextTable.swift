/// A table fitted to a width: text that is too long is cut, never wrapped.
struct TextTable {
    struct Column {
        let title: String
        /// The width below which another column is removed instead.
        let minimum: Int
        /// Whether the column stays when not all columns fit.
        let isNeeded: Bool
        /// Whether the other columns shrink to their minimum before this one shrinks.
        let isCutLast: Bool

        init(_ title: String, minimum: Int, isNeeded: Bool = false, isCutLast: Bool = false) {
            self.title = title
            self.minimum = minimum
            self.isNeeded = isNeeded
            self.isCutLast = isCutLast
        }
    }

    private static let gap = 2

    private let columns: [Column]

    /// Creates a table of columns from the left; an optional column on the right is removed before one on the
    /// left, unless only the one on the right fits.
    init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Returns the header and the rows, without trailing spaces.
    ///
    /// Each row has a cell for each column; columns that are empty in all rows are omitted. A `nil` width is
    /// unlimited.
    func lines(_ rows: [[String]], width: Int?) -> [String] {
        let cells = [columns.map(\.title)] + rows
        let (visible, widths) = layout(rows, width: width)
        return cells.map { row in
            visible.map { row[$0].fitted(to: widths[$0]) }
                .joined(separator: String(repeating: " ", count: Self.gap)).trimmedAtEnd
        }
    }

    /// Whether a column is visible at a width.
    func shows(_ title: String, of rows: [[String]], width: Int?) -> Bool {
        layout(rows, width: width).visible.contains { columns[$0].title == title }
    }

    /// Returns the visible columns, and the widths of all columns.
    private func layout(_ rows: [[String]], width: Int?) -> (visible: [Int], widths: [Int]) {
        let cells = [columns.map(\.title)] + rows
        let fullWidths = columns.indices.map { index in
            cells.map { $0[index].displayWidth }.max() ?? 0
        }
        let filled = columns.indices.filter { index in
            columns[index].isNeeded || rows.contains { !$0[index].isEmpty }
        }
        guard let width else { return (filled, fullWidths) }
        let narrowest = columns.indices.map { min(fullWidths[$0], columns[$0].minimum) }
        var visible = filled.filter { columns[$0].isNeeded }
        for index in filled where !columns[index].isNeeded {
            let more = (visible + [index]).sorted()
            if total(narrowest, of: more) <= width { visible = more }
        }
        return (visible, narrowed(fullWidths, to: narrowest, of: visible, width: width))
    }

    private func total(_ widths: [Int], of visible: [Int]) -> Int {
        visible.reduce(0) { $0 + widths[$1] } + Self.gap * max(0, visible.count - 1)
    }

    /// Returns the widths that fit: columns shrink to their minimum first, then further if necessary.
    private func narrowed(
        _ fullWidths: [Int],
        to narrowest: [Int],
        of visible: [Int],
        width: Int
    ) -> [Int] {
        var widths = fullWidths
        while total(widths, of: visible) > width {
            let spare = { widths[$0] - narrowest[$0] }
            let shrinking = visible.filter { spare($0) > 0 }
            let others = shrinking.filter { !columns[$0].isCutLast }
            let roomiest = (others.isEmpty ? shrinking : others).max { spare($0) < spare($1) }
            guard let index = roomiest ?? visible.max(by: { widths[$0] < widths[$1] }),
                widths[index] > 1
            else { break }
            widths[index] -= 1
        }
        return widths
    }
}
