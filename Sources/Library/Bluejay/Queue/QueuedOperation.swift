/// One call of the user, from the queue to its completion.
///
/// The queue calls `start`, `abort` at most once, and `complete` exactly once, even if the operation never
/// started. A watch is started again after an `interrupt`.
protocol QueuedOperation: AnyObject {
    /// The kind, for the rules of the queue.
    var kind: QueueStateMachine.Kind { get }

    /// The time limit, counted from its turn; `.none` if it is unlimited or has its own limit.
    var timeout: Timeout { get }

    /// The call and its target, for errors.
    var subject: ErrorSubject { get }

    /// The details it shares with operations of the same call, or `nil` for most kinds.
    var callDetails: SharedCallDetails? { get }

    /// The number of bytes read or written, for the log, or `nil`.
    var byteCount: Int? { get }

    /// Starts the operation; `onEnd` is called once, at once or later, with `nil` for success.
    func start(onEnd: @escaping (BluejayError?) -> Void)

    /// Reports that the attempt that a connect shares has its turn; `timedOut` ends the connect.
    func attemptStarted(timedOut: @escaping () -> Void)

    /// Ends the operation early; later results are discarded.
    func abort()

    /// Suspends the operation, which is started again with another `onEnd`, or completed.
    func interrupt()

    /// Ends a scan as its own action would.
    func stop()

    /// Calls the user's completion.
    func complete(_ error: (any Error)?)
}

extension QueuedOperation {
    var kind: QueueStateMachine.Kind { .characteristic }

    var byteCount: Int? { nil }

    var callDetails: SharedCallDetails? { nil }

    func attemptStarted(timedOut: @escaping () -> Void) {}

    func abort() {}

    func interrupt() {}

    func stop() {}
}
