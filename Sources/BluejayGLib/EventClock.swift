internal import CBluejay

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
        onCancel?()
        onCancel = nil
    }
}

/// The machine's monotonic clock on a main context.
package final class MainContextClock: EventClock {
    private let context: MainContext
    private let scale: Double

    /// - Parameters:
    ///   - context: Where the actions run.
    ///   - scale: A delay of one second takes `scale` seconds; `now` runs accordingly. Below one,
    ///     a simulated world runs faster.
    package init(on context: MainContext, scale: Double = 1) {
        self.context = context
        self.scale = scale
    }

    package var now: Duration {
        let microseconds = Int64(g_get_monotonic_time())
        guard scale != 1 else { return .microseconds(microseconds) }
        return .microseconds(Int64(Double(microseconds) / scale))
    }

    package func schedule(
        after delay: Duration,
        _ action: @escaping () -> Void
    ) -> ScheduledTimer {
        let holder = TimerHolder()
        let source = EventSource(
            EventHandlers(dispatch: {
                holder.source?.cancel()
                action()
            }),
            on: context
        )
        holder.source = source
        source.setReadyTime(Int64(g_get_monotonic_time()) + realMicroseconds(delay))
        return ScheduledTimer { source.cancel() }
    }

    private func realMicroseconds(_ delay: Duration) -> Int64 {
        let seconds = min(Double(delay.components.seconds), 1e10)
        let fraction = Double(delay.components.attoseconds) / 1e12
        return Int64(max(0, (seconds * 1e6 + fraction) * scale))
    }
}

private final class TimerHolder {
    weak var source: EventSource?
}
