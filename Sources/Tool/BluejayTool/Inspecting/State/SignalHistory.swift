/// The signal strength of a device over the last seconds.
struct SignalHistory {
    /// The seconds of one column of the line.
    static let interval = 2.0

    private static let capacity = 15
    private static let blocks = Array("▁▂▃▄▅▆▇█")
    /// The strengths in dBm of the lowest and of the highest block.
    private static let range = -100.0 ... -40.0

    /// The strongest report of each interval, by the number of the interval.
    private var strengths: [Int: Int] = [:]

    mutating func add(_ rssi: Int, at time: Double) {
        let interval = Self.interval(at: time)
        strengths[interval] = max(rssi, strengths[interval] ?? rssi)
        if strengths.count > Self.capacity {
            strengths = strengths.filter { $0.key > interval - Self.capacity }
        }
    }

    /// Returns a block for each interval, the present one at the right, and a space without a report.
    func line(at time: Double, width: Int) -> String {
        let present = Self.interval(at: time)
        return String(
            (0..<width).reversed().map { age in
                guard let strength = strengths[present - age] else { return " " }
                return Self.block(strength)
            }
        )
    }

    private static func interval(at time: Double) -> Int { Int((time / interval).rounded(.down)) }

    private static func block(_ rssi: Int) -> Character {
        let share = (Double(rssi) - range.lowerBound) / (range.upperBound - range.lowerBound)
        let index = Int((share * Double(blocks.count - 1)).rounded())
        return blocks[max(0, min(index, blocks.count - 1))]
    }
}
