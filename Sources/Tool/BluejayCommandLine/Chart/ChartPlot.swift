/// A line through the readings: a column is a second, and the last column is the present second.
struct ChartPlot {
    private struct LineSegments: OptionSet {
        let rawValue: Int
        static let left = LineSegments(rawValue: 1)
        static let right = LineSegments(rawValue: 2)
        static let up = LineSegments(rawValue: 4)
        static let down = LineSegments(rawValue: 8)
    }

    /// The glyphs of the cells, indexed by the raw value of their directions.
    private static let glyphs = Array("•───│╯╰┴│╮╭┬│┤├┼")
    private static let newest: Character = "●"

    private var cells: [[LineSegments?]]
    private var end: (column: Int, row: Int)?
    private var entry: Int?

    /// Draws the readings up to `now`.
    init(_ readings: [HeartRateHistory.Reading], now: Duration, scale: ChartScale, width: Int) {
        cells = Array(repeating: Array(repeating: nil, count: width), count: scale.rows)
        let first = now.components.seconds - Int64(width - 1)
        var last: Int?
        for (index, reading) in readings.enumerated() {
            let second = reading.time.components.seconds
            // A reading left of the first column may be the start of its line.
            guard second >= first - 60, second <= now.components.seconds else { continue }
            let column = Int(second - first)
            if reading.connectsToPrevious, let from = last {
                hold(from: from + 1, to: column)
            } else {
                entry = nil
            }
            draw(scale.row(of: reading.beatsPerMinute), at: column, isComing: last != column)
            last = column
            if index == readings.indices.last, column >= 0 {
                end = (column, scale.row(of: reading.beatsPerMinute))
            }
        }
    }

    /// Continues the line at its level up to a column.
    private mutating func hold(from: Int, to column: Int) {
        guard let entry, from < column else { return }
        mark(from - 1, entry, .right)
        for column in from..<column {
            mark(column, entry, [.left, .right])
        }
    }

    /// Draws the line to a row: from the left if it enters this column, otherwise from its present row.
    private mutating func draw(_ row: Int, at column: Int, isComing: Bool) {
        defer { entry = row }
        guard let entry else { return mark(column, row, []) }
        if isComing {
            mark(column, entry, .left)
            mark(column - 1, entry, .right)
        }
        guard row != entry else { return }
        let isUp = row > entry
        mark(column, entry, isUp ? .up : .down)
        for between in min(row, entry) + 1..<max(row, entry) {
            mark(column, between, [.up, .down])
        }
        mark(column, row, isUp ? .down : .up)
    }

    private mutating func mark(_ column: Int, _ row: Int, _ ways: LineSegments) {
        guard cells[row].indices.contains(column) else { return }
        cells[row][column] = (cells[row][column] ?? []).union(ways)
    }

    /// The rows, from the top.
    var lines: [String] {
        cells.indices.reversed().map { row in
            String(
                cells[row].indices.map { column -> Character in
                    if let end, end == (column, row) { return Self.newest }
                    return cells[row][column].map { Self.glyphs[$0.rawValue] } ?? " "
                }
            )
        }
    }
}
