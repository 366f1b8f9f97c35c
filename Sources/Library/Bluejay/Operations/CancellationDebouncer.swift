internal import BluejayGLib

/// Holds back the next operation while cancellations arrive.
///
/// A program that cancels a thousand tasks does so one after another, on another thread. If each operation
/// started as soon as the previous one was cancelled, all of them would be sent before their own cancellation
/// arrives.
final class CancellationDebouncer {
    /// The time without a cancellation after which the next operation starts.
    static var debounceInterval: Duration { .milliseconds(10) }

    private var timer: ScheduledTimer?
    private var hasNewCancellation = false
    private var pendingStart: (() -> Void)?

    /// Whether `afterCancellations` would run its closure at once.
    var isIdle: Bool { timer == nil }

    /// Notes that a task was cancelled.
    func cancellationReceived(_ clock: any EventClock) {
        hasNewCancellation = true
        if timer == nil { arm(clock) }
    }

    /// Calls `start` now, or once cancellations have stopped.
    ///
    /// Only one operation waits: a later one replaces an operation that never started.
    func afterCancellations(_ start: @escaping () -> Void) {
        guard timer != nil else { return start() }
        pendingStart = start
    }

    private func arm(_ clock: any EventClock) {
        hasNewCancellation = false
        timer = clock.schedule(after: Self.debounceInterval) { [weak self] in self?.check(clock) }
    }

    private func check(_ clock: any EventClock) {
        guard !hasNewCancellation else { return arm(clock) }
        timer = nil
        let held = pendingStart
        self.pendingStart = nil
        held?()
    }
}
