/// The content of the chart of a heart rate.
package struct HeartRateScene: Equatable {
    /// The present heart rate, as far as it is known.
    package enum CurrentReading: Equatable {
        /// No heart rate has arrived yet.
        case unknown
        case current(Int)
        /// The sensor is silent; the last heart rate and its age.
        case stale(Int, Duration)
        /// The link is down; for how long, and the last heart rate.
        case disconnected(Duration, last: Int?)
    }

    package private(set) var history = HeartRateHistory()
    /// The name of the sensor and the status, both printable.
    package private(set) var name = ""
    package private(set) var state = ""
    private var link = Link.notYet

    private enum Link: Equatable {
        case notYet, made
        case lost(Duration)
    }

    package init() {}

    /// Adds a heart rate in beats per minute.
    package mutating func received(_ beatsPerMinute: Int, at time: Duration) {
        history.append(beatsPerMinute, at: time)
    }

    /// Sets the name as received over the air.
    package mutating func connected(to name: String) {
        self.name = name.printable
        link = .made
    }

    /// Records the end of the link; a failed connection attempt changes nothing.
    package mutating func disconnected(at time: Duration) {
        guard link == .made else { return }
        history.interrupt()
        link = .lost(time)
    }

    package mutating func setState(_ text: String) {
        state = text.printable
    }

    /// Returns the heart rate at a time, as far as it is known.
    package func currentReading(at now: Duration) -> CurrentReading {
        let last = history.readings.last
        if case .lost(let time) = link {
            return .disconnected(now - time, last: last?.beatsPerMinute)
        }
        guard let last else { return .unknown }
        let age = now - last.time
        return age < HeartRateHistory.staleInterval
            ? .current(last.beatsPerMinute) : .stale(last.beatsPerMinute, age)
    }
}

extension HeartRateScene.CurrentReading {
    package var isCurrent: Bool {
        if case .current = self { true } else { false }
    }

    /// The state as text, the longest first: a small terminal has room for less.
    package var texts: [String] {
        switch self {
        case .unknown: ["♡ no heart rate yet", "♡"]
        case .current(let rate): ["♥ \(rate) beats a minute", "♥ \(rate)"]
        case .stale(let rate, let age):
            [
                "♡ no heart rate for \(age.shortDescription); the last was \(rate)",
                "♡ \(rate), \(age.shortDescription) ago", "♡ \(age.shortDescription) ago", "♡",
            ]
        case .disconnected(let age, let last):
            (last.map { ["♡ disconnected for \(age.shortDescription); the last was \($0)"] } ?? [])
                + ["♡ disconnected for \(age.shortDescription)", "♡ disconnected", "♡"]
        }
    }
}

extension Duration {
    /// Whole seconds, minutes or hours, rounded down.
    package var shortDescription: String {
        let seconds = max(0, components.seconds)
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        default: "\(seconds / 3600) h"
        }
    }
}
