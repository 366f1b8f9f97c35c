/// Draws the latest heart rates as text, the newest at the right.
///
/// The chart holds values and knows nothing of the terminal; each line it returns has exactly the
/// width asked for.
package struct HeartRateChart {
    /// Columns of the axis: three digits, a space and a tick.
    private static let axisWidth = 5

    /// A column filled by one to eight eighths.
    private static let eighths = Array("▁▂▃▄▅▆▇█")

    private let capacity: Int

    /// The values, the oldest first; `nil` is a moment without one.
    private var values: [Int?] = []

    /// Makes an empty chart that remembers the latest `capacity` values.
    package init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// Adds a heart rate in beats per minute, or a gap.
    ///
    /// The oldest value is forgotten when the chart is full. A negative value counts as 0.
    package mutating func append(_ beatsPerMinute: Int?) {
        if values.count == capacity { values.removeFirst() }
        values.append(beatsPerMinute.map { max(0, $0) })
    }

    /// The lowest and the highest remembered value, or `nil` when there is none.
    package var range: ClosedRange<Int>? {
        let known = values.compactMap(\.self)
        guard let lowest = known.min(), let highest = known.max() else { return nil }
        return lowest...highest
    }

    /// Draws the values that fit.
    ///
    /// - Parameters:
    ///   - width: Columns, with the axis; below ten there is no axis.
    ///   - height: Lines.
    /// - Returns: `height` lines of `width` characters, the top first; none without room.
    package func lines(width: Int, height: Int) -> [String] {
        guard width > 0, height > 0 else { return [] }
        let hasAxis = width >= 2 * Self.axisWidth
        let plotWidth = hasAxis ? width - Self.axisWidth : width
        let shown = Array(values.suffix(plotWidth))
        let scale = Scale(shown.compactMap(\.self))
        let margin = String(repeating: " ", count: plotWidth - shown.count)
        return (0..<height).map { row in
            let above = height - 1 - row
            let columns = shown.map { cell(of: $0, rowsBelow: above, height: height, scale: scale) }
            let axis = hasAxis ? axis(row: row, height: height, scale: scale) : ""
            return axis + margin + String(columns)
        }
    }

    /// The character of one column in one row.
    private func cell(of value: Int?, rowsBelow: Int, height: Int, scale: Scale?) -> Character {
        guard let value, let scale else { return " " }
        // The lowest value is seen too: it fills one eighth.
        let filled = max(1, scale.eighths(of: value, height: height)) - 8 * rowsBelow
        return filled <= 0 ? " " : Self.eighths[min(filled, 8) - 1]
    }

    /// The label and the tick of one row; the top, the middle and the bottom have a label.
    private func axis(row: Int, height: Int, scale: Scale?) -> String {
        let label: Int? =
            switch row {
            case 0: scale?.upper
            case height - 1: scale?.lower
            case (height - 1) / 2 where height >= 5 && height % 2 == 1: scale?.middle
            default: nil
            }
        guard let label else { return "    │" }
        let digits = String(label).suffix(3)
        return String(repeating: " ", count: 3 - digits.count) + digits + " ┤"
    }
}

/// The heart rates at the bottom and the top of the chart, in whole tens.
private struct Scale {
    let lower: Int
    let upper: Int

    init?(_ values: [Int]) {
        guard let lowest = values.min(), let highest = values.max() else { return nil }
        // A sensor may send anything up to 65 535; the labels have three digits.
        lower = max(0, min(lowest, 980) - 5) / 10 * 10
        upper = max(lower + 20, (min(highest, 985) + 14) / 10 * 10)
    }

    var middle: Int { (lower + upper) / 2 }

    /// How many eighths of a row a value fills, counted from the bottom.
    func eighths(of value: Int, height: Int) -> Int {
        (min(value, upper) - lower) * height * 8 / (upper - lower)
    }
}
