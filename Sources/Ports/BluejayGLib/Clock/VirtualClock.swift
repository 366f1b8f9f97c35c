internal import HeapModule

/// A source outside the context that may still have events for it, such as a bus.
package protocol IdleProbe: AnyObject {
    /// Sends a probe that returns after all current events.
    ///
    /// - Parameter completion: Must be called once, on the context, when the probe has returned or is lost;
    ///   not inside this call.
    /// - Returns: The state of the source.
    func probe(_ completion: @escaping () -> Void) -> ProbeResult
}

package enum ProbeResult {
    /// Only probes were sent since the last one.
    case idle
    /// Other messages were sent, or this is the first probe.
    case busy
    /// The source has ended; `completion` is not called.
    case closed
}

/// A clock whose time stands still while the context has work, and then jumps to the next timer.
///
/// All users of the context share the clock: their timers fire in the order of their instants; those of one
/// instant in the order of their creation.
///
/// Time jumps in an iteration of the context in which no other source is ready, after every idle probe has
/// sent two probes and received them back with no other message sent meanwhile. After the first round, all
/// sent messages have reached the bus; after the second, the bus's resulting messages have arrived.
// Used on its context only, except for `now`: that invariant justifies `@unchecked`.
package final class VirtualClock: EventClock, @unchecked Swift.Sendable {
    /// The last instant, 100 years; later timers never fire.
    private static let latestInstant = Duration.seconds(3_155_760_000)
    /// The number of idle rounds after which time advances.
    private static let idleRoundsBeforeAdvance = 2

    private let currentInstant = LockedValue(Duration.zero)
    private var timers: Heap<PendingTimer<Duration>> = []
    private var lastNumber = 0
    private var dueSource: EventSource?
    private var idleSource: EventSource?
    private var probes: [any IdleProbe] = []
    private var pendingProbeCount = 0
    private var idleRounds = 0
    /// Whether time stands still in any case.
    package var isPaused = false
    /// The number of `ClockHold`s that stop the time.
    var holdCount = 0
    /// The machine's time, for the time limit of the holds.
    let machineClock: MainContextClock

    package init(on context: MainContext) {
        machineClock = MainContextClock(on: context)
        dueSource = EventSource(
            SourceCallbacks(dispatch: { [weak self] in self?.fire() }),
            on: context,
            canRecurse: true
        )
        idleSource = EventSource(
            SourceCallbacks(
                prepare: { [weak self] in self?.canAdvance ?? false },
                dispatch: { [weak self] in self?.advanceIfIdle() }
            ),
            on: context,
            canRecurse: true
        )
        idleSource?.runOnlyWhenIdle()
    }

    /// The current instant; any thread may read it.
    package var now: Duration { currentInstant.value }

    package func schedule(
        after delay: Duration,
        _ action: @escaping () -> Void
    ) -> ScheduledTimer {
        let now = now
        lastNumber += 1
        let timer = PendingTimer<Duration>(now + max(.zero, delay), lastNumber, action)
        timers.insert(timer)
        if timer.instant <= now { dueSource?.setReadyTime(0) }
        // Released after the removal: the action's release may call this object.
        return ScheduledTimer { withExtendedLifetime(timer.consume()) {} }
    }

    /// Adds a probe, which must run before each jump.
    package func add(_ probe: any IdleProbe) {
        probes.append(probe)
        idleRounds = 0
    }

    /// Stops the clock permanently: no timer fires afterwards.
    package func stop() {
        dueSource = nil
        idleSource = nil
        timers = []
    }

    // Timers scheduled by an action wait for the next iteration, as with the machine's clock.
    private func fire() {
        dueSource?.setReadyTime(-1)
        let (now, last) = (now, lastNumber)
        while let first = timers.min, first.instant <= now, first.number <= last {
            _ = timers.popMin()
            first.consume()?()
        }
        if let next = timers.min, next.instant <= now { dueSource?.setReadyTime(0) }
    }

    // MARK: Advancing

    private var canAdvance: Bool {
        guard !isPaused, holdCount == 0, pendingProbeCount == 0, let next = nextInstant else {
            return false
        }
        return next <= Self.latestInstant
    }

    /// The instant of the first pending timer.
    private var nextInstant: Duration? {
        while let first = timers.min {
            guard first.isConsumed else { return first.instant }
            _ = timers.popMin()
        }
        return nil
    }

    // Called when all probes have returned and no other source is ready.
    private func advanceIfIdle() {
        let isIdle = probeAll()
        idleRounds = isIdle ? idleRounds + 1 : 0
        guard idleRounds >= Self.idleRoundsBeforeAdvance, let next = nextInstant else { return }
        currentInstant.value = max(now, next)
        dueSource?.setReadyTime(0)
    }

    private func probeAll() -> Bool {
        var isIdle = true
        probes.removeAll { probe in
            switch probe.probe({ [weak self] in self?.pendingProbeCount -= 1 }) {
            case .idle: pendingProbeCount += 1
            case .busy:
                pendingProbeCount += 1
                isIdle = false
            case .closed:
                // The consequences of its end for others are still pending.
                isIdle = false
                return true
            }
            return false
        }
        return isIdle
    }
}
