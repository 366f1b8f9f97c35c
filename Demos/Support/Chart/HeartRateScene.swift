/// All that the chart of a heart rate shows.
package struct HeartRateScene: Equatable {
    /// What is known of the heart rate of now.
    package enum Present: Equatable {
        /// There is none yet.
        case unknown
        case current(Int)
        /// The sensor is silent; the last one, and how long ago that was.
        case stale(Int, Duration)
        /// There is no link; for how long, and the last one.
        case disconnected(Duration, last: Int?)
    }

    package private(set) var history = HeartRateHistory()
    /// What the sensor calls itself, and what is going on; both may stand on a terminal.
    package private(set) var name = ""
    package private(set) var state = ""
    private var link = Link.notYet

    private enum Link: Equatable {
        case notYet, made
        case lost(Duration)
    }

    package init() {}

    /// Takes a heart rate in beats a minute.
    package mutating func received(_ beatsPerMinute: Int, at time: Duration) {
        history.append(beatsPerMinute, at: time)
    }

    /// Takes the name as it came over the air.
    package mutating func connected(to name: String) {
        self.name = name.printable
        link = .made
    }

    /// Says that there is no link any more; an attempt to make one that failed changes nothing.
    package mutating func disconnected(at time: Duration) {
        guard link == .made else { return }
        history.interrupt()
        link = .lost(time)
    }

    package mutating func say(_ text: String) {
        state = text.printable
    }

    /// What is known at a time.
    package func present(at now: Duration) -> Present {
        let last = history.readings.last
        if case .lost(let time) = link {
            return .disconnected(now - time, last: last?.beatsPerMinute)
        }
        guard let last else { return .unknown }
        let age = now - last.at
        return age < HeartRateHistory.patience
            ? .current(last.beatsPerMinute) : .stale(last.beatsPerMinute, age)
    }
}

extension HeartRateScene.Present {
    /// Whether there is a heart rate of now.
    package var isCurrent: Bool {
        if case .current = self { true } else { false }
    }

    /// The same thing in words, the longest first: a small terminal has room for less.
    package var words: [String] {
        switch self {
        case .unknown: ["♡ no heart rate yet", "♡"]
        case .current(let rate): ["♥ \(rate) beats a minute", "♥ \(rate)"]
        case .stale(let rate, let age):
            [
                "♡ no heart rate for \(age.inWords); the last was \(rate)",
                "♡ \(rate), \(age.inWords) ago", "♡ \(age.inWords) ago", "♡",
            ]
        case .disconnected(let age, let last):
            (last.map { ["♡ disconnected for \(age.inWords); the last was \($0)"] } ?? [])
                + ["♡ disconnected for \(age.inWords)", "♡ disconnected", "♡"]
        }
    }
}

extension Duration {
    /// Whole seconds, minutes or hours, rounded down.
    package var inWords: String {
        let seconds = max(0, components.seconds)
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        default: "\(seconds / 3600) h"
        }
    }
}
