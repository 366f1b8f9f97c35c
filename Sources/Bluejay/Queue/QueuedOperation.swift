/// One call of the user, from the queue to its completion.
///
/// The queue calls `start`, at most once `abort`, and `complete` exactly once, also when the operation
/// never started.
protocol QueuedOperation: AnyObject {
    /// What the rules of the queue take it for.
    var kind: QueueStateMachine.Kind { get }

    /// How long it may take from its turn on; none is without limit, or one of its own.
    var timeout: Timeout { get }

    /// What it does to what, for the error that ends it.
    var subject: ErrorSubject { get }

    /// How many bytes were read or written, for the log; nil is none.
    var byteCount: Int? { get }

    /// Begins; `done` is called once with nil for success, at once or later.
    func start(_ runner: OperationRunner, done: @escaping (BluejayError?) -> Void)

    /// Ends early; results that still come are not for the user.
    func abort(_ runner: OperationRunner)

    /// Calls the user's completion.
    func complete(_ error: (any Error)?)
}

extension QueuedOperation {
    var kind: QueueStateMachine.Kind { .characteristic }

    var byteCount: Int? { nil }

    func abort(_ runner: OperationRunner) {}
}
