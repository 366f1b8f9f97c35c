/// The heart rates of the last ten minutes, each with the time at which it came.
package struct HeartRateHistory: Equatable {
    /// One heart rate.
    package struct Reading: Equatable {
        /// When it came, counted from the start of the program.
        package let at: Duration
        package let beatsPerMinute: Int
        /// Whether it goes on from the one before it: there was a link all the time, and no long silence.
        package let isJoined: Bool
    }

    /// How long a reading is remembered.
    package static let memory = Duration.seconds(600)
    /// How long a sensor may be silent; what it sent last is then no heart rate of now.
    package static let patience = Duration.seconds(5)

    /// The oldest first.
    package private(set) var readings: [Reading] = []
    private var isInterrupted = false

    package init() {}

    /// Adds a heart rate; one that is below 0 counts as 0, and one above 65,535 as that.
    ///
    /// - Parameters:
    ///   - beatsPerMinute: What the sensor sent.
    ///   - time: When it came, not before the one before it.
    package mutating func append(_ beatsPerMinute: Int, at time: Duration) {
        let last = readings.last
        let time = max(time, last?.at ?? time)
        let isJoined = last.map { !isInterrupted && time - $0.at < Self.patience } ?? false
        isInterrupted = false
        let value = min(max(beatsPerMinute, 0), 65_535)
        let known = readings.firstIndex { time - $0.at <= Self.memory } ?? readings.endIndex
        readings.removeFirst(known)
        readings.append(Reading(at: time, beatsPerMinute: value, isJoined: isJoined))
    }

    /// Says that the link is gone: what comes next does not go on from what was before.
    package mutating func interrupt() {
        isInterrupted = true
    }
}
