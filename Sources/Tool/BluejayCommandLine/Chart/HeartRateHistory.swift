/// The heart rates of the last ten minutes, each with the time of its arrival.
package struct HeartRateHistory: Equatable {
    package struct Reading: Equatable {
        /// The time of the arrival since the start of the program.
        package let time: Duration
        package let beatsPerMinute: Int
        /// Whether the reading continues the previous one: the link stayed up, without a long silence.
        package let connectsToPrevious: Bool
    }

    /// How long a reading is kept.
    package static let maximumAge = Duration.seconds(600)
    /// The longest silence of a sensor; an older heart rate is not current.
    package static let staleInterval = Duration.seconds(5)

    /// The readings, the oldest first.
    package private(set) var readings: [Reading] = []
    private var isInterrupted = false

    package init() {}

    /// Adds a heart rate, limited to 0...65,535.
    ///
    /// - Parameters:
    ///   - beatsPerMinute: The value of the sensor.
    ///   - time: The time of the arrival, not before the previous one.
    package mutating func append(_ beatsPerMinute: Int, at time: Duration) {
        let last = readings.last
        let time = max(time, last?.time ?? time)
        let isJoined = last.map { !isInterrupted && time - $0.time < Self.staleInterval } ?? false
        isInterrupted = false
        let value = min(max(beatsPerMinute, 0), 65_535)
        let known = readings.firstIndex { time - $0.time <= Self.maximumAge } ?? readings.endIndex
        readings.removeFirst(known)
        readings.append(Reading(time: time, beatsPerMinute: value, connectsToPrevious: isJoined))
    }

    /// Records the end of the link: the next reading does not continue the previous one.
    package mutating func interrupt() {
        isInterrupted = true
    }
}
