/// Work that tasks of the program do outside a context, during which its virtual time stands still.
///
/// Time passes while the work waits for it, between `pause` and `resume`. It also passes if the work
/// neither ends nor waits within two seconds of the machine's time: the work then waits for something
/// unknown to the holds, which may need time to pass.
// Its state is used on the context only: that invariant justifies `@unchecked`.
package final class ClockHold: @unchecked Swift.Sendable {
    /// The hold whose work the current task does.
    @TaskLocal package static var current: ClockHold?

    private static let maximumDuration = Duration.seconds(2)

    private let context: MainContext
    private let clock: VirtualClock
    private var activeCount = 0
    private var pauseCount = 0
    private var isExpired = false
    private var isHolding = false
    private var expiry: ScheduledTimer?

    /// Returns nil unless the time of the context is virtual.
    package init?(on context: MainContext) {
        guard let clock = context.environment.value.clock else { return nil }
        self.context = context
        self.clock = clock
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
            isExpired = false
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
            isExpired = false
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
        guard holds != isHolding else { return }
        isHolding = holds
        clock.holdCount += holds ? 1 : -1
        expiry =
            holds
            ? clock.machineClock.schedule(after: Self.maximumDuration) { [weak self] in
                self?.expire()
            }
            : nil
    }

    private func expire() {
        isExpired = true
        update()
    }
}
