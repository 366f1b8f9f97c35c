import Dispatch

/// The executor of a slow actor: it can hold all jobs.
package final class HeldExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "held")

    package init() {}

    /// The `unownedExecutor` of the actor.
    @safe package var unowned: UnownedSerialExecutor { unsafe asUnownedSerialExecutor() }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Holds the jobs from now on.
    package func hold() {
        queue.suspend()
    }

    /// Runs the held jobs; once for each `hold`, before the release of the executor.
    package func resume() {
        queue.resume()
    }
}
