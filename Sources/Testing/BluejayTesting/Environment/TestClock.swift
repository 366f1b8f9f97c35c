internal import BluejayGLib

/// The time of a world, which starts at 0.
///
/// A program that takes its clock as a parameter (`some Clock<Duration>`) can take this one in a test. A test
/// calls `sleep(for:)` to let everything before that instant happen. `Task.sleep` uses real time.
public struct TestClock: Clock {
    /// An instant in the time of a world.
    public struct Instant: InstantProtocol {
        /// The time since the world started.
        public var offset: Duration

        /// Returns the instant that is later by `duration`.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// Returns the time from this instant to another.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether `first` is earlier than `second`.
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

    /// The current instant.
    public var now: Instant { Instant(offset: base.clock.now - origin) }

    /// The smallest difference between two instants.
    public var minimumResolution: Duration { .microseconds(1) }

    /// Suspends until the deadline.
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
                    sleeper.start(deadline.offset - now.offset, on: base.clock) {
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

// `now` may be called on any thread and everything else on the context, which justifies `@unchecked`.
private struct LoopClock: @unchecked Swift.Sendable {
    let clock: any EventClock
}

// Used on the context only, which justifies `@unchecked`.
private final class PendingSleep: @unchecked Swift.Sendable {
    private var timer: ScheduledTimer?
    private var completion: (() -> Void)?
    private var isEnded = false
    /// The task's hold on the virtual time, paused during the sleep.
    private let hold: ClockHold?

    init(_ hold: ClockHold?) { self.hold = hold }

    func start(_ duration: Duration, on clock: any EventClock, _ awake: @escaping () -> Void) {
        guard !isEnded else { return awake() }
        self.completion = awake
        hold?.pause()
        timer = clock.schedule(after: duration) { [self] in wake() }
    }

    func wake() {
        isEnded = true
        timer = nil
        let awake = completion
        self.completion = nil
        if awake != nil { hold?.resume() }
        awake?()
    }
}
