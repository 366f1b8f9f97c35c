internal import BluejayGLib

/// Keeps the next operation waiting while cancellations come.
///
/// Somebody who cancels a thousand tasks cancels them one after the other, on another thread. Were the
/// second started as soon as the first is given up, it would be sent before its own cancellation is here,
/// and so would all of them.
final class CancellationDebouncer {
    /// How long no cancellation has come when the next operation is started.
    static var quietTime: Duration { .milliseconds(10) }

    private var timer: ScheduledTimer?
    private var hasNews = false
    private var held: (() -> Void)?

    /// Whether `whenQuiet` would call at once.
    var isQuiet: Bool { timer == nil }

    /// A task was cancelled.
    func came(_ clock: any EventClock) {
        hasNews = true
        if timer == nil { arm(clock) }
    }

    /// Calls `start` now, or when no more cancellations come.
    ///
    /// There is one operation at a time: a later one takes the place of one that never started.
    func whenQuiet(_ start: @escaping () -> Void) {
        guard timer != nil else { return start() }
        held = start
    }

    private func arm(_ clock: any EventClock) {
        hasNews = false
        timer = clock.schedule(after: Self.quietTime) { [weak self] in self?.check(clock) }
    }

    private func check(_ clock: any EventClock) {
        guard !hasNews else { return arm(clock) }
        timer = nil
        let held = held
        self.held = nil
        held?()
    }
}
