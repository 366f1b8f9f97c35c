/// A smoothed signal strength in steps, by which a table is sorted without moving a row at each report.
struct SignalStep: Equatable {
    /// The share of a new report.
    private static let weight = 0.25
    /// The distance of two steps in dB.
    private static let size = 6.0
    /// The distance in dB from the middle of a step at which the next one begins, more than half a step.
    private static let hold = 4.5

    private var average: Double
    /// The step; a higher one is stronger.
    private(set) var number: Int

    /// - Parameter rssi: The first report in dBm.
    init(_ rssi: Int) {
        average = Double(rssi)
        number = Self.nearest(to: average)
    }

    mutating func add(_ rssi: Int) {
        average += (Double(rssi) - average) * Self.weight
        if abs(average - Double(number) * Self.size) > Self.hold {
            number = Self.nearest(to: average)
        }
    }

    private static func nearest(to strength: Double) -> Int { Int((strength / size).rounded()) }
}
