/// The executor conformance: actors on a loop may call the methods with completion handlers, and receive
/// the callbacks in their own isolation.
///
/// ```swift
/// actor Lock {
///     private let loop: MainLoop
///     nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor }
///
///     init(loop: MainLoop) { self.loop = loop }
/// }
/// ```
///
/// The actor retains the loop. Jobs enqueued before the loop runs wait for it, in order with ``post(_:)``.
/// Jobs enqueued after the end of a loop with its own thread still run. SE-0392 specifies custom actor
/// executors.
extension MainLoop: SerialExecutor {
    /// Runs a job of an actor or a task on a later iteration of the loop.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        post { [self] in unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    /// The unowned reference to this executor.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    /// The value for the `unownedExecutor` of an actor on the loop.
    ///
    /// The actor must retain the loop while it exists.
    @safe public var executor: UnownedSerialExecutor { unsafe asUnownedSerialExecutor() }

    /// Whether the calling thread is the loop's, so that callbacks run in the isolation of every actor of
    /// the loop.
    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// Traps unless the calling thread is the loop's; `assumeIsolated` calls this method.
    public func checkIsolated() {
        precondition(isCurrent, "the calling thread is not the one of the main loop")
    }
}

/// An executor that runs the jobs of tasks that prefer it on a context.
///
/// Code that is not isolated to an actor then counts as work of the loop, for which virtual time waits.
package final class ContextExecutor: TaskExecutor {
    private let context: MainContext

    package init(_ context: MainContext) {
        self.context = context
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        context.post { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
