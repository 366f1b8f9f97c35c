internal import Dispatch
package import Testing

/// Runs a test on a thread that the tests with this trait share.
///
/// The tasks of all other tests share as many threads as there are processors. Those that wait for real time
/// limits would exceed them while tests that compute for seconds occupy these threads.
package struct ComputingTrait: TestTrait, SuiteTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ComputingExecutor.shared) { try await function() }
    }
}

extension Trait where Self == ComputingTrait {
    /// The test occupies its thread for longer than a fifth of a second; it does not use the main actor.
    package static var computing: Self { Self() }
}

private final class ComputingExecutor: TaskExecutor {
    static let shared = ComputingExecutor()
    private let queue = DispatchQueue(label: "computing tests", qos: .utility)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
