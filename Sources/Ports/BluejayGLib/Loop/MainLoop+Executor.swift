/// A loop as the executor of actors: what such an actor does is done on the loop, so that it may call the
/// forms with completions, which want that, and hears them in its own isolation.
///
/// ```swift
/// actor Lock {
///     private let loop: MainLoop
///     nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor }
///     …
/// }
/// ```
///
/// The actor keeps the loop alive. What is called before the loop runs waits for it, in order with
/// ``post(_:)``; what is called after the end of a loop with a thread of its own is still done. SE-0392
/// specifies custom actor executors.
extension MainLoop: SerialExecutor {
    /// Does a job of an actor, or of a task, in one of the loop's next turns.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        post { [self] in unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    /// The loop as an actor gives it.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    /// What an actor on the loop returns as its `unownedExecutor`.
    ///
    /// The actor has to hold the loop for as long as it lives.
    @safe public var executor: UnownedSerialExecutor { unsafe asUnownedSerialExecutor() }

    /// Whether the calling thread is the loop's: what is called back on it is in the isolation of every
    /// actor of the loop.
    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// Ends the program unless the calling thread is the loop's: what `assumeIsolated` asks.
    public func checkIsolated() {
        precondition(isCurrent, "the calling thread is not the one of the main loop")
    }
}
