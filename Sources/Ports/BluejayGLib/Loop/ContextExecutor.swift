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
