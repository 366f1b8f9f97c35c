internal import CBluejay
internal import HeapModule

/// The machine's monotonic clock on a main context.
///
/// Timers of one clock fire in the order of their instants; those of one instant in the order of their
/// creation. Creating a timer costs the logarithm of their number; cancelling one costs nothing.
package final class MainContextClock: EventClock {
    private let context: MainContext
    private let scale: Double
    /// GLib's monotonic time at the creation of the clock, in microseconds.
    private let origin: Int64
    /// The timers by GLib's monotonic time in microseconds and number, including cancelled ones.
    private var timers: Heap<PendingTimer<Int64>> = []
    private var cancelledCount = 0
    private var lastNumber = 0
    private var source: EventSource?
    /// The instant at which the source wakes the context; not later than the first timer.
    private var wakeTime = Int64.max

    /// - Parameters:
    ///   - context: The context on which the actions run.
    ///   - scale: A delay of one second takes `scale` seconds; `now` runs accordingly. Below one, a
    ///     simulated world runs faster; a millionth is the minimum, and smaller values count as a
    ///     millionth.
    package init(on context: MainContext, scale: Double = 1) {
        self.context = context
        // NaN fails the comparison, too.
        self.scale = scale > 1e-6 ? min(scale, 1e6) : 1e-6
        origin = Self.microseconds
    }

    package var now: Duration {
        let microseconds = Self.microseconds
        guard scale != 1 else { return .microseconds(microseconds) }
        return .microseconds(Int64(min(Double(microseconds - origin) / scale, 9e18)))
    }

    package func schedule(
        after delay: Duration,
        _ action: @escaping () -> Void
    ) -> ScheduledTimer {
        let instant = Self.microseconds + realMicroseconds(delay)
        lastNumber += 1
        let timer = PendingTimer<Int64>(instant, lastNumber, action)
        timers.insert(timer)
        wake(at: min(instant, wakeTime))
        return ScheduledTimer { [self] in cancel(timer) }
    }

    private static var microseconds: Int64 { bluejay_monotonic_time() }

    // The source keeps its wake time when its timer is cancelled: it wakes once in vain.
    private func cancel(_ timer: PendingTimer<Int64>) {
        // The action is released when the clock is consistent again.
        let action = timer.consume()
        guard action != nil else { return }
        cancelledCount += 1
        // Half of them: the cost is spread over as many cancellations.
        guard cancelledCount > 32, cancelledCount > timers.count / 2 else { return }
        timers = Heap(timers.unordered.filter { !$0.isConsumed })
        cancelledCount = 0
    }

    // One source for all timers, because GLib dispatches the sources that are due in one iteration in the
    // order of their attachment.
    private func wake(at instant: Int64) {
        let source =
            source
            ?? EventSource(
                SourceCallbacks(dispatch: { [weak self] in self?.fire() }),
                on: context,
                canRecurse: true
            )
        self.source = source
        wakeTime = instant
        source.setReadyTime(instant)
        moveToBack(source)
    }

    // After a pause of the process, a reply and the time limit of its call are ready in the same iteration. GLib
    // dispatches the reply first.
    private func moveToBack(_ source: EventSource) {
        source.moveToBack()
        context.posted.moveToBack()
    }

    // Timers scheduled by an action wait for the next iteration, so that other sources run. An action may
    // run a main loop, which calls this method again: the clock is consistent between two timers.
    private func fire() {
        let now = Self.microseconds
        let last = lastNumber
        while let first = timers.min, first.instant <= now, first.number <= last {
            _ = timers.popMin()
            if let action = first.consume() {
                action()
            } else {
                cancelledCount -= 1
            }
        }
        wakeTime = timers.min?.instant ?? .max
        guard let source else { return }
        source.setReadyTime(timers.isEmpty ? -1 : wakeTime)
        moveToBack(source)
    }

    private func realMicroseconds(_ delay: Duration) -> Int64 {
        let seconds = min(Double(delay.components.seconds), 1e10)
        let fraction = Double(delay.components.attoseconds) / 1e12
        return Int64(min(max(0, (seconds * 1e6 + fraction) * scale), 1e16))
    }
}
