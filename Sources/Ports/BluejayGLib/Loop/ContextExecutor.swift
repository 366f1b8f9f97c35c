/// Runs the jobs of tasks on a context: a task that prefers it is on the loop's thread.
///
/// What is not isolated to an actor then counts as work of the loop, which a virtual time waits for.
package final class ContextExecutor: TaskExecutor {
    private let context: MainContext

    /// Makes an executor for a context that somebody runs.
    package init(_ context: MainContext) {
        self.context = context
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        context.post { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
