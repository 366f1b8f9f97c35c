/// The plot of the heart rates of the last minute, in pixels; y grows downwards.
struct HeartPlot: Equatable {
    struct Reading: Equatable {
        /// The time since the start of the program.
        var at: Duration
        var beatsPerMinute: Int
    }

    struct Point: Equatable {
        var x: Double
        var y: Double
        /// Whether a line connects it to the previous reading: no long silence lies between them.
        var isJoined: Bool
    }

    /// A grid line with its label.
    struct Tick: Equatable {
        var position: Double
        var text: String
    }

    /// The time span of the plot, in seconds.
    static let span = 60.0
    /// The longest silence that a line bridges, in seconds.
    private static let patience = 5.0
    private static let margin = (left: 40.0, right: 10.0, top: 10.0, bottom: 22.0)

    let left = Self.margin.left
    let right: Double
    let top = Self.margin.top
    let bottom: Double
    private(set) var points: [Point] = []
    private(set) var rates: [Tick] = []
    private(set) var times: [Tick] = []

    init(_ readings: [Reading], now: Duration, width: Double, height: Double) {
        right = max(left + 1, width - Self.margin.right)
        bottom = max(top + 1, height - Self.margin.bottom)
        let (left, right, top, bottom) = (left, right, top, bottom)
        func x(_ age: Double) -> Double { right - age / Self.span * (right - left) }
        times = stride(from: 0.0, through: Self.span, by: 10).map { age in
            Tick(position: x(age).rounded() + 0.5, text: age == 0 ? "now" : "-\(Int(age)) s")
        }
        let shown = readings.filter { (now - $0.at) / .seconds(1) <= Self.span }
        let values = shown.map(\.beatsPerMinute)
        guard let lowest = values.min(), let highest = values.max() else { return }
        // Whole steps around all values: the axis moves only if a value leaves it.
        let step = Self.step(highest - lowest)
        let lower = max(0, lowest - 1) / step * step
        let upper = max(lower + 2 * step, (highest + step) / step * step)
        func y(_ value: Int) -> Double {
            bottom - Double(value - lower) / Double(upper - lower) * (bottom - top)
        }
        rates = stride(from: lower, through: upper, by: step).map {
            Tick(position: y($0).rounded() + 0.5, text: "\($0)")
        }
        for (index, reading) in shown.enumerated() {
            let silence = index == 0 ? .infinity : (reading.at - shown[index - 1].at) / .seconds(1)
            points.append(
                Point(
                    x: x((now - reading.at) / .seconds(1)),
                    y: y(reading.beatsPerMinute),
                    isJoined: silence < Self.patience
                )
            )
        }
    }

    /// Returns 10, 20, 50 and so on, so that the axis has at most ten steps.
    private static func step(_ range: Int) -> Int {
        var step = 10
        for factor in [2, 5, 10, 20, 50, 100, 200, 500, 1000] where range > 8 * step {
            step = 10 * factor
        }
        return step
    }
}
