internal import BluejayGLib

/// The time of a world, from 0 at its beginning.
///
/// A program that takes its clock as a parameter (`some Clock<Duration>`) gets this one in a test, and
/// `sleep(for:)` lets a test see what comes until then. `Task.sleep` has the machine's time.
public struct TestClock: Clock {
    /// An instant of a world.
    public struct Instant: InstantProtocol {
        /// The time since the beginning of the world.
        public var offset: Duration

        /// The instant that is later by a duration.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// The time from here to another instant.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether one comes before the other.
        public static func < (first: Instant, second: Instant) -> Bool {
            first.offset < second.offset
        }
    }

    private let context: MainContext
    private let base: LoopClock
    private let origin: Duration

    init(of context: MainContext) {
        self.context = context
        base = LoopClock(clock: context.makeClock())
        origin = base.clock.now
    }

    /// The present instant.
    public var now: Instant { Instant(offset: base.clock.now - origin) }

    /// The least difference of two instants that it can tell.
    public var minimumResolution: Duration { .microseconds(1) }

    /// Returns when the instant has come.
    ///
    /// - Parameters:
    ///   - deadline: An instant of this world.
    ///   - tolerance: Has no effect.
    /// - Throws: `CancellationError`.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let sleeper = PendingSleep(ClockHold.current)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                context.post {
                    sleeper.rest(deadline.offset - now.offset, on: base.clock) {
                        continuation.resume()
                    }
                }
            }
        } onCancel: {
            context.post { sleeper.wake() }
        }
        try Task.checkCancellation()
    }
}

/// Carries a clock to its context.
// `now` may be asked on any thread, and the rest is used on the context: the invariant behind
// `@unchecked`.
private struct LoopClock: @unchecked Swift.Sendable {
    let clock: any EventClock
}

/// One who sleeps.
// It is used on the context only: the invariant behind `@unchecked`.
private final class PendingSleep: @unchecked Swift.Sendable {
    private var timer: ScheduledTimer?
    private var awake: (() -> Void)?
    private var isOver = false
    /// What the sleeper's task keeps the time from passing with.
    private let hold: ClockHold?

    init(_ hold: ClockHold?) { self.hold = hold }

    func rest(_ duration: Duration, on clock: any EventClock, _ awake: @escaping () -> Void) {
        guard !isOver else { return awake() }
        self.awake = awake
        hold?.pause()
        timer = clock.schedule(after: duration) { [self] in wake() }
    }

    func wake() {
        isOver = true
        timer = nil
        let awake = awake
        self.awake = nil
        if awake != nil { hold?.resume() }
        awake?()
    }
}
