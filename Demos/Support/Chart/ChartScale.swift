/// The values that the rows of a chart stand for: each row is a round number.
///
/// It is of rounded values, so that it stays when a value changes a little.
package struct ChartScale: Equatable {
    /// The value of the bottom row.
    package let lower: Int
    /// What a row is more than the one below it: 1, 2 or 5, or that with noughts.
    package let step: Int
    /// How many rows there are.
    package let rows: Int

    /// The smallest difference between bottom and top, so that a calm heart does not look restless.
    private static let leastSpan = 20

    /// Makes the scale that all values lie in: above the bottom, or on it at 0, and below the top.
    ///
    /// - Parameters:
    ///   - values: The lowest and the highest one, none below 0.
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
            if step * (rows - 1) >= max(upper - lower, Self.leastSpan) { break }
        }
        // What is left over is shared between top and bottom.
        let unit = max(10, step)
        let spare = (step * (rows - 1) - (upper - lower)) / 2 / unit * unit
        self.lower = max(0, lower - spare)
        self.step = step
        self.rows = rows
    }

    /// 1, 2, 5, 10, 20, 50 and so on.
    private static func step(_ index: Int) -> Int {
        (0..<index / 3).reduce([1, 2, 5][index % 3]) { step, _ in step * 10 }
    }

    /// The value of the top row.
    package var upper: Int { lower + step * (rows - 1) }

    /// The row that is nearest to a value; 0 is the bottom.
    package func row(of value: Int) -> Int {
        min(max((value - lower + step / 2) / step, 0), rows - 1)
    }

    /// The value of a row when it has a label: each few rows, at multiples of a round number.
    package func label(ofRow row: Int) -> Int? {
        let value = lower + row * step
        let spacing = rows <= 6 ? 1 : step <= 2 ? 5 : 2
        return value.isMultiple(of: step * spacing) ? value : nil
    }
}
