internal import BluejayGLib

extension TestWorld {
    /// Waits until a callback has been called `count` times.
    ///
    /// ```swift
    /// try await world.expect("the lock is open") { done in
    ///     lock.open { _ in done() }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - what: The description of the callback in the error.
    ///   - count: The expected number of calls.
    ///   - timeout: The time limit, in the time of the world. With virtual time, at least two seconds of real
    ///     time must pass as well.
    ///   - body: Starts the operation; called once, on the loop, before this method suspends. Its argument
    ///     may be called on any thread.
    /// - Throws: ``TestWorldError/missed(_:came:expected:within:)``, ``TestWorldError/ended``,
    ///   ``TestWorldError/wrongThread(_:)`` if the caller is not on the loop, or `CancellationError`.
    public nonisolated(nonsending) func expect(
        _ what: String,
        count: Int = 1,
        within timeout: Duration = .seconds(60),
        _ body: (Fulfillment) -> Void
    ) async throws {
        try checkNotEnded()
        guard mainLoop.isCurrent else { throw TestWorldError.offLoop("expect") }
        let awaited = AwaitedCallbacks(count, on: mainLoop.context)
        body(Fulfillment(awaited))
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                awaited.wait(within: timeout) {
                    continuation.resume(with: $0.result(what, timeout))
                }
            }
        } onCancel: {
            awaited.cancel()
        }
    }

    /// Runs the loop until a callback has been called `count` times, for tests that are not `async`.
    ///
    /// While this method waits on the main thread, it also serves `DispatchQueue.main` and the main actor.
    ///
    /// - Parameters:
    ///   - what: The description of the callback in the error.
    ///   - count: The expected number of calls.
    ///   - timeout: The time limit, in the time of the world.
    ///   - body: Starts the operation; called once, immediately. Its argument may be called on any thread.
    /// - Throws: ``TestWorldError/missed(_:came:expected:within:)``, ``TestWorldError/ended``, or
    ///   ``TestWorldError/wrongThread(_:)`` if the caller is not on the loop.
    public func wait(
        _ what: String,
        count: Int = 1,
        within timeout: Duration = .seconds(60),
        _ body: (Fulfillment) -> Void
    ) throws {
        try checkNotEnded()
        guard mainLoop.isCurrent else { throw TestWorldError.offLoop("wait") }
        let awaited = AwaitedCallbacks(count, on: mainLoop.context)
        var end: AwaitedCallbacks.Outcome?
        body(Fulfillment(awaited))
        awaited.wait(within: timeout) { end = $0 }
        mainLoop.context.iterate { end != nil }
        try end?.result(what, timeout).get()
    }

    /// Runs the loop until a condition holds, for tests that are not `async`.
    ///
    /// - Parameters:
    ///   - what: The description of the condition in the error.
    ///   - timeout: The time limit, in the time of the world.
    ///   - condition: Checked immediately, and after each iteration of the loop.
    /// - Throws: The same errors as the other `wait`.
    public func wait(
        _ what: String,
        within timeout: Duration = .seconds(60),
        until condition: () -> Bool
    ) throws {
        try checkNotEnded()
        guard mainLoop.isCurrent else { throw TestWorldError.offLoop("wait") }
        guard !condition() else { return }
        let awaited = AwaitedCallbacks(1, on: mainLoop.context)
        var end: AwaitedCallbacks.Outcome?
        awaited.wait(within: timeout) { end = $0 }
        mainLoop.context.iterate {
            if condition() { awaited.callbackReceived() }
            return end != nil
        }
        try end?.result(what, timeout).get()
    }
}

/// Reports an expected callback; may be called on any thread.
public struct Fulfillment: Swift.Sendable {
    private let awaited: AwaitedCallbacks

    init(_ awaited: AwaitedCallbacks) { self.awaited = awaited }

    /// Counts one call; calls beyond the expected number are ignored.
    public func callAsFunction() { awaited.callbackReceived() }
}

// `callbackReceived` and `cancel` dispatch to the context and everything else is called there, which justifies
// `@unchecked`.
final class AwaitedCallbacks: @unchecked Swift.Sendable {
    enum Outcome {
        case all
        case missing(received: Int, expected: Int)
        case cancelled

        func result(_ what: String, _ timeout: Duration) -> Result<Void, any Error> {
            switch self {
            case .all: .success(())
            case .missing(let received, let expected):
                .failure(
                    TestWorldError.missed(what, came: received, expected: expected, within: timeout)
                )
            case .cancelled: .failure(CancellationError())
            }
        }
    }

    private let expected: Int
    private let context: MainContext
    private var count = 0
    private var outcome: Outcome?
    private var timers: [ScheduledTimer] = []
    private var runningTimerCount = 0
    private var waiter: ((Outcome) -> Void)?

    /// The minimum real duration of a timeout in virtual time, for threads that do not hold the virtual time.
    private static let minimumRealTimeout = Duration.seconds(2)

    init(_ expected: Int, on context: MainContext) {
        self.expected = expected
        self.context = context
        if expected <= 0 { outcome = .all }
    }

    func callbackReceived() {
        guard context.isCurrent else { return context.post { [self] in callbackReceived() } }
        guard outcome == nil else { return }
        count += 1
        if count >= expected { finish(.all) }
    }

    func cancel() {
        context.post { [self] in finish(.cancelled) }
    }

    func wait(within timeout: Duration, _ waiter: @escaping (Outcome) -> Void) {
        if let outcome { return waiter(outcome) }
        self.waiter = waiter
        let clock = context.makeClock()
        startTimer(timeout, on: clock)
        if clock is VirtualClock, timeout > .zero {
            startTimer(Self.minimumRealTimeout, on: MainContextClock(on: context))
        }
    }

    private func startTimer(_ timeout: Duration, on clock: any EventClock) {
        runningTimerCount += 1
        let timer = clock.schedule(after: timeout) { [self] in
            runningTimerCount -= 1
            if runningTimerCount == 0 { finish(.missing(received: count, expected: expected)) }
        }
        timers.append(timer)
    }

    private func finish(_ end: Outcome) {
        guard self.outcome == nil else { return }
        self.outcome = end
        timers = []
        let waiter = waiter
        self.waiter = nil
        waiter?(end)
    }
}

extension TestWorldError {
    static func offLoop(_ call: String) -> TestWorldError {
        .wrongThread(
            "TestWorld.\(call) was called outside the world's loop: call it inside TestWorld.run, or "
                + "in a nonisolated test with the trait .simulatedBlueZ"
        )
    }
}
