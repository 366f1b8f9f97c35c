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
}
