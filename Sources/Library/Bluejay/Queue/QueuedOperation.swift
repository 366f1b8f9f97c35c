/// One call of the user, from the queue to its completion.
///
/// The queue calls `start`, at most once `abort`, and `complete` exactly once, also when the operation
/// never started. A watch is started again after an `interrupt`.
protocol QueuedOperation: AnyObject {
    /// What the rules of the queue take it for.
    var kind: QueueStateMachine.Kind { get }

    /// How long it may take from its turn on; none is without limit, or one of its own.
    var timeout: Timeout { get }

    /// What it does to what, for the error that ends it.
    var subject: ErrorSubject { get }

    /// What it shares with others that do the same; nil for most kinds.
    var characteristicCall: SharedCallDetails? { get }

    /// How many bytes were read or written, for the log; nil is none.
    var byteCount: Int? { get }

    /// Begins; `done` is called once with nil for success, at once or later.
    func start(done: @escaping (BluejayError?) -> Void)

    /// Ends early; results that still come are not for the user.
    func abort()

    /// Ends for the time being; it is started again, with another `done`, or completed.
    func interrupt()

    /// Ends a scan as if its own action had.
    func stop()

    /// Calls the user's completion.
    func complete(_ error: (any Error)?)
}

extension QueuedOperation {
    var kind: QueueStateMachine.Kind { .characteristic }

    var byteCount: Int? { nil }

    var characteristicCall: SharedCallDetails? { nil }

    func abort() {}

    func interrupt() {}

    func stop() {}
}
