internal import HeapModule

/// Something outside the context that may still have news for it, such as a bus.
package protocol IdleProbe: AnyObject {
    /// Sends something that comes back behind all the news that there are now.
    ///
    /// - Parameter answered: To be called once, on the context, when it has come back or never will; not
    ///   inside this call.
    /// - Returns: What became of it.
    func probe(_ answered: @escaping () -> Void) -> ProbeResult
}

/// What a witness says when it is asked.
package enum ProbeResult {
    /// Nothing but probes was sent since the last one.
    case quiet
    /// Something was sent, or it is the first probe.
    case busy
    /// There is nothing to ask any more; `answered` is not called.
    case over
}

/// A clock whose time stands still while anything can happen without it, and then jumps to the next timer.
///
/// All who live on its context share it: their timers fire in the order of their instants, those of one
/// instant in the order in which they were made.
///
/// The time jumps in a turn of the context in which nothing else is ready, and when every witness has
/// sent a probe and had it back twice without anything being sent meanwhile. After the first round what
/// was sent has reached the bus, and after the second what the bus made of it has arrived.
// It is used on its context only, but for `now`: that is the invariant behind `@unchecked`.
package final class VirtualClock: EventClock, @unchecked Swift.Sendable {
    /// The instant up to which time passes, 100 years; a timer behind it never fires.
    private static let end = Duration.seconds(3_155_760_000)
    /// Rounds without news after which nothing is under way.
    private static let roundsToJump = 2

    private let present = Snapshot(Duration.zero)
    private var timers: Heap<PendingTimer<Duration>> = []
    private var lastNumber = 0
    /// Fires what is due.
    private var dueSource: EventSource?
    /// Is ready when nothing else is.
    private var lastSource: EventSource?
    private var witnesses: [any IdleProbe] = []
    private var openProbes = 0
    private var quietRounds = 0
    /// Whether the time stands still whatever happens.
    package var isHeld = false
    /// How many `ClockHold`s keep the time from passing.
    var holds = 0
    /// The machine's time, for the patience of the holds.
    let machineClock: MainContextClock

    /// Makes a clock at zero.
    package init(on context: MainContext) {
        machineClock = MainContextClock(on: context)
        dueSource = EventSource(
            SourceCallbacks(dispatch: { [weak self] in self?.fire() }),
            on: context,
            canRecurse: true
        )
        lastSource = EventSource(
            SourceCallbacks(
                prepare: { [weak self] in self?.wantsToJump ?? false },
                dispatch: { [weak self] in self?.look() }
            ),
            on: context,
            canRecurse: true
        )
        lastSource?.makeLast()
    }

    /// The present instant; any thread may ask.
    package var now: Duration { present.value }

    package func schedule(
        after delay: Duration,
        _ action: @escaping () -> Void
    ) -> ScheduledTimer {
        let now = now
        lastNumber += 1
        let timer = PendingTimer<Duration>(now + max(.zero, delay), lastNumber, action)
        timers.insert(timer)
        if timer.instant <= now { dueSource?.setReadyTime(0) }
        // Released behind the take: what it holds may come back here.
        return ScheduledTimer { withExtendedLifetime(timer.take()) {} }
    }

    /// Does not jump from now on before the witness has been asked.
    package func ask(_ witness: any IdleProbe) {
        witnesses.append(witness)
        quietRounds = 0
    }

    /// Stops for good: no timer fires any more.
    package func end() {
        dueSource = nil
        lastSource = nil
        timers = []
    }

    // What an action schedules waits for the next turn, as with the machine's clock.
    private func fire() {
        dueSource?.setReadyTime(-1)
        let (now, last) = (now, lastNumber)
        while let first = timers.min, first.instant <= now, first.number <= last {
            _ = timers.popMin()
            first.take()?()
        }
        if let next = timers.min, next.instant <= now { dueSource?.setReadyTime(0) }
    }

    // MARK: Jumping

    private var wantsToJump: Bool {
        guard !isHeld, holds == 0, openProbes == 0, let next = nextInstant else { return false }
        return next <= Self.end
    }

    /// The first instant at which somebody waits for something.
    private var nextInstant: Duration? {
        while let first = timers.min {
            guard first.isTaken else { return first.instant }
            _ = timers.popMin()
        }
        return nil
    }

    // All probes have come back, and nothing else is to be done in this turn.
    private func look() {
        let isQuiet = probeAll()
        quietRounds = isQuiet ? quietRounds + 1 : 0
        guard quietRounds >= Self.roundsToJump, let next = nextInstant else { return }
        present.value = max(now, next)
        dueSource?.setReadyTime(0)
    }

    private func probeAll() -> Bool {
        var isQuiet = true
        witnesses.removeAll { witness in
            switch witness.probe({ [weak self] in self?.openProbes -= 1 }) {
            case .quiet: openProbes += 1
            case .busy:
                openProbes += 1
                isQuiet = false
            case .over:
                // What its end brings about for others is under way.
                isQuiet = false
                return true
            }
            return false
        }
        return isQuiet
    }
}
