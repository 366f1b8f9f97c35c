package import BluejayGLib

/// A clock that a test advances.
package final class ManualClock: EventClock {
    private struct Timer {
        let id: Int
        let instant: Duration
        let action: () -> Void
    }

    package private(set) var now: Duration = .zero
    private var timers: [Timer] = []
    private var nextID = 0

    package init() {}

    package func schedule(
        after delay: Duration,
        _ action: @escaping () -> Void
    ) -> ScheduledTimer {
        nextID += 1
        let id = nextID
        timers.append(Timer(id: id, instant: now + max(delay, .zero), action: action))
        return ScheduledTimer { [weak self] in self?.timers.removeAll { $0.id == id } }
    }

    /// Whether a timer is due and only waits for `advance`.
    package var isDue: Bool { timers.contains { $0.instant <= now } }

    /// Advances the time and runs the due timers, in the order of their instants.
    package func advance(by duration: Duration) {
        let end = now + duration
        while let next = timers.filter({ $0.instant <= end })
            .min(by: { ($0.instant, $0.id) < ($1.instant, $1.id) })
        {
            now = next.instant
            timers.removeAll { $0.id == next.id }
            next.action()
        }
        now = end
    }
}
