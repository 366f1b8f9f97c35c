/// The only source of time: monotonic, and replaceable in tests.
///
/// An instant is the duration since an origin that the clock chooses.
package protocol EventClock: AnyObject {
    var now: Duration { get }

    /// Calls `action` once on the context after `delay`, unless the timer is cancelled or released earlier.
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

    /// Calls `action` once on the next iteration of the context; a release does not cancel it.
    ///
    /// It counts as a timer without a delay: such timers fire in the order of their creation.
    package func onNextIteration(_ action: @escaping () -> Void) {
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
        // Removed first: the release of the closure may call this object.
        let handler = onCancel
        onCancel = nil
        handler?()
    }
}
