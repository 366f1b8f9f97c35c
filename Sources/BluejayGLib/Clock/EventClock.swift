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
///
/// Timers of one clock fire in the order of their instants, those of one instant in the order in
/// which they were made.
package final class MainContextClock: EventClock {
    private struct Timer {
        let id: Int
        /// In microseconds of GLib's monotonic time.
        let instant: Int64
        let action: () -> Void
    }

    private let context: MainContext
    private let scale: Double
    /// Sorted by instant and number.
    private var timers: [Timer] = []
    private var lastID = 0
    private var source: EventSource?
    /// When the source wakes the context; at or before the first timer.
    private var wakeTime = Int64.max

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
        let instant = Int64(g_get_monotonic_time()) + realMicroseconds(delay)
        lastID += 1
        let id = lastID
        let index = timers.lastIndex { $0.instant <= instant }.map { $0 + 1 } ?? 0
        timers.insert(Timer(id: id, instant: instant, action: action), at: index)
        if instant < wakeTime { wake(at: instant) }
        // The source stays as it is when its timer goes: it wakes once in vain.
        return ScheduledTimer { [self] in timers.removeAll { $0.id == id } }
    }

    // One source for all timers, since GLib dispatches the sources that are due in one turn in the
    // order in which they were attached.
    private func wake(at instant: Int64) {
        let source =
            source
            ?? EventSource(EventHandlers(dispatch: { [weak self] in self?.fire() }), on: context)
        self.source = source
        wakeTime = instant
        source.setReadyTime(instant)
    }

    // What an action schedules waits for the next turn, so that other sources have theirs.
    private func fire() {
        let now = Int64(g_get_monotonic_time())
        let last = lastID
        while let first = timers.first, first.instant <= now, first.id <= last {
            timers.removeFirst()
            first.action()
        }
        wakeTime = timers.first?.instant ?? .max
        source?.setReadyTime(timers.isEmpty ? -1 : wakeTime)
    }

    private func realMicroseconds(_ delay: Duration) -> Int64 {
        let seconds = min(Double(delay.components.seconds), 1e10)
        let fraction = Double(delay.components.attoseconds) / 1e12
        return Int64(max(0, (seconds * 1e6 + fraction) * scale))
    }
}
