/// Numbers as a line of block characters, the newest at the right.
struct Plot {
    /// The default width without a terminal.
    static let widthForPrograms = 79

    private static let eighths = Array("▁▂▃▄▅▆▇█")
    private static let capacity = 500

    private var numbers: [Double] = []

    mutating func append(_ number: Double) {
        if numbers.count == Self.capacity { numbers.removeFirst() }
        numbers.append(number)
    }

    /// Returns the newest number as text, followed by blocks scaled to the range of the shown numbers.
    func line(width: Int) -> String {
        guard let last = numbers.last else { return "" }
        let label = last.formatted + " "
        let visible = numbers.suffix(max(0, width - label.count))
        guard let lowest = visible.min(), let highest = visible.max() else {
            return last.formatted.truncated(to: width)
        }
        let span = highest - lowest
        return label
            + String(
                visible.map { number in
                    let place = span > 0 ? (number - lowest) / span * 7 : 0
                    return Self.eighths[min(7, max(0, Int(place.rounded())))]
                }
            )
    }

    /// Returns the range of the numbers that fit, or `nil` without numbers.
    func range(width: Int) -> ClosedRange<Double>? {
        let visible = numbers.suffix(max(0, width))
        guard let lowest = visible.min(), let highest = visible.max() else { return nil }
        return lowest...highest
    }

    /// Returns columns of blocks as lines from the top, scaled to ``range(width:)``.
    func lines(width: Int, height: Int) -> [String] {
        guard let range = range(width: width), height > 0 else { return [] }
        let span = range.upperBound - range.lowerBound
        let levels = numbers.suffix(width).map { number in
            let place = span > 0 ? (number - range.lowerBound) / span : 0
            return 1 + Int((place * Double(8 * height - 1)).rounded())
        }
        return (0..<height).reversed().map { row in
            String(
                levels.map { level in
                    let filled = min(8, level - 8 * row)
                    return filled > 0 ? Self.eighths[filled - 1] : " "
                }
            ).trimmedAtEnd
        }
    }
}
