/// The only source of time: monotonic, and replaceable in tests.
///
/// An instant is the duration since an origin that the clock chooses.
package protocol EventClock: AnyObject {
    /// The present instant.
    var now: Duration { get }

    /// Calls `action` once on the context when `delay` has passed, unless the timer is cancelled or
    /// released before.
    func schedule(after delay: Duration, _ action: @escaping () -> Void) -> ScheduledTimer
}

extension EventClock {
    /// Calls `action` once at an instant; `nil` schedules nothing.
    package func schedule(
        at instant: Duration?,
        _ action: @escaping () -> Void
    ) -> ScheduledTimer? {
        instant.map { schedule(after: $0 - now, action) }
    }

    /// Calls `action` once in the next turn of the context, whoever lets go of whatever.
    ///
    /// It has its place among the timers without a delay: they fire in the order in which they were
    /// made.
    package func later(_ action: @escaping () -> Void) {
        let holder = TimerHolder()
        holder.timer = schedule(after: .zero) {
            holder.timer = nil
            action()
        }
    }
}

private final class TimerHolder {
    var timer: ScheduledTimer?
}

/// A timer that has not fired yet; releasing it cancels it.
package final class ScheduledTimer {
    private var onCancel: (() -> Void)?

    package init(onCancel: @escaping () -> Void) {
        self.onCancel = onCancel
    }

    deinit {
        cancel()
    }

    /// Prevents the action; does nothing after it has run.
    package func cancel() {
        // Taken out first: what is released with it may come back here.
        let taken = onCancel
        onCancel = nil
        taken?()
    }
}
