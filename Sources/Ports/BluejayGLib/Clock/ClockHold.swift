/// Work that tasks of the program do outside a context, during which its virtual time stands still.
///
/// Time passes while the work waits for it, between `pause` and `resume`. It also passes if no piece of work
/// ends or waits within two seconds of the machine's time (15 if no thread is free for tasks): the work then
/// waits for something unknown to the holds, which may need time to pass.
// Its state is used on the context only: that invariant justifies `@unchecked`.
package final class ClockHold: @unchecked Swift.Sendable {
    /// The hold whose work the current task does.
    @TaskLocal package static var current: ClockHold?

    /// The parts of the limit; each lasts until a thread is free for tasks, because the work may need one.
    private static let partCount = 4
    private static let partDuration = Duration.milliseconds(500)
    private static let maximumDurationWithoutThreads = Duration.seconds(15)

    private let context: MainContext
    private let clock: VirtualClock
    private let machineClock: any EventClock
    private let onFreeThread: (@escaping @Sendable () -> Void) -> Void
    private var activeCount = 0
    private var pauseCount = 0
    private var isExpired = false
    private var isHolding = false
    private var expiry: ScheduledTimer?
    private var expiryWithoutThreads: ScheduledTimer?
    private var expiryNumber = 0

    /// Returns nil unless the time of the context is virtual.
    ///
    /// - Parameters:
    ///   - context: The context.
    ///   - machineClock: Measures the limit; nil is the machine's clock.
    ///   - onFreeThread: Calls its argument when a thread is free for tasks.
    package init?(
        on context: MainContext,
        machineClock: (any EventClock)? = nil,
        onFreeThread: @escaping (@escaping @Sendable () -> Void) -> Void = { work in Task { work() }
        }
    ) {
        guard let clock = context.environment.value.clock else { return nil }
        self.context = context
        self.clock = clock
        self.machineClock = machineClock ?? clock.machineClock
        self.onFreeThread = onFreeThread
    }

    /// Starts a piece of work; on the context only.
    package func startWork() {
        activeCount += 1
        update()
    }

    /// Runs a piece of work that `startWork` has started; the caller ends it.
    ///
    /// - Parameters:
    ///   - hold: The hold, or nil if the time is the machine's.
    ///   - work: The work, which waits for the context's time by calls that pause the hold.
    /// - Returns: The result of the work.
    package nonisolated(nonsending) static func during<Value>(
        _ hold: ClockHold?,
        _ work: nonisolated(nonsending) () async -> Value
    ) async -> Value {
        guard let hold else { return await work() }
        return await $current.withValue(hold) { await work() }
    }

    /// Ends a piece of work, after everything that the work has posted; any thread may call it.
    package func endWork() {
        perform { [self] in
            activeCount -= 1
            restartExpiry()
        }
    }

    /// Lets time pass: the work waits for it.
    package func pause() {
        perform { [self] in pauseCount += 1 }
    }

    /// Ends a pause; on the context before the work continues.
    package func resume() {
        perform { [self] in
            pauseCount -= 1
            restartExpiry()
        }
    }

    private func perform(_ change: @escaping @Sendable () -> Void) {
        if context.isCurrent {
            change()
            update()
        } else {
            context.post { [self] in
                change()
                update()
            }
        }
    }

    private func update() {
        let holds = activeCount > 0 && pauseCount == 0 && !isExpired
        if holds != isHolding {
            isHolding = holds
            clock.holdCount += holds ? 1 : -1
        }
        if !holds {
            stopExpiry()
        } else if expiry == nil {
            startExpiry(expiryNumber)
        }
    }

    // The next piece of work has its own two seconds.
    private func restartExpiry() {
        isExpired = false
        stopExpiry()
    }

    private func stopExpiry() {
        expiryNumber += 1
        expiry = nil
        expiryWithoutThreads = nil
    }

    private func startExpiry(_ number: Int) {
        startPart(1, of: number)
        expiryWithoutThreads = machineClock.schedule(after: Self.maximumDurationWithoutThreads) {
            [weak self] in self?.expire()
        }
    }

    private func startPart(_ part: Int, of number: Int) {
        expiry = machineClock.schedule(after: Self.partDuration) { [weak self, context] in
            self?.onFreeThread { [weak self] in
                context.post { [weak self] in self?.partEnded(part, of: number) }
            }
        }
    }

    private func partEnded(_ part: Int, of number: Int) {
        guard number == expiryNumber else { return }
        if part < Self.partCount {
            startPart(part + 1, of: number)
        } else {
            expire()
        }
    }

    private func expire() {
        isExpired = true
        update()
    }
}
