/// The values of the rows of a chart; each row is a round number.
///
/// The limits are rounded, so that the scale stays the same when a value changes a little.
package struct ChartScale: Equatable {
    package let lower: Int
    /// The difference between two rows: 1, 2 or 5, or one of them times a power of ten.
    package let step: Int
    package let rows: Int

    /// The smallest difference between bottom and top, so that a calm heart does not look restless.
    private static let minimumSpan = 20

    /// Creates the scale for a range of values: above the bottom, or on it at 0, and below the top.
    ///
    /// - Parameters:
    ///   - values: The lowest and the highest value; at least 0.
    ///   - rows: At least two.
    package init(_ values: ClosedRange<Int>, rows: Int) {
        let rows = max(2, rows)
        var step = 1
        var (lower, upper) = (0, 0)
        for digits in 0... {
            step = Self.step(digits)
            let unit = max(10, step)
            lower = max(0, values.lowerBound - 1) / unit * unit
            upper = (values.upperBound + unit) / unit * unit
            if step * (rows - 1) >= max(upper - lower, Self.minimumSpan) { break }
        }
        // Share the remaining rows between top and bottom.
        let unit = max(10, step)
        let spare = (step * (rows - 1) - (upper - lower)) / 2 / unit * unit
        self.lower = max(0, lower - spare)
        self.step = step
        self.rows = rows
    }

    /// Returns 1, 2, 5, 10, 20, 50 and so on.
    private static func step(_ index: Int) -> Int {
        (0..<index / 3).reduce([1, 2, 5][index % 3]) { step, _ in step * 10 }
    }

    package var upper: Int { lower + step * (rows - 1) }

    /// Returns the row nearest to a value; 0 is the bottom.
    package func row(of value: Int) -> Int {
        min(max((value - lower + step / 2) / step, 0), rows - 1)
    }

    /// Returns the label of a row: every few rows, at multiples of a round number.
    package func label(ofRow row: Int) -> Int? {
        let value = lower + row * step
        let spacing = rows <= 6 ? 1 : step <= 2 ? 5 : 2
        return value.isMultiple(of: step * spacing) ? value : nil
    }
}
