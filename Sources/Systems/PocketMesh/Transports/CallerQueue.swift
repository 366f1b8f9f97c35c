/// The callers of one actor that wait for the end of an earlier call.
///
/// Used on the loop of the actor only.
struct CallerQueue {
    private var continuations: [Int: CheckedContinuation<Void, any Error>] = [:]
    private var lastCaller = 0

    /// Returns a number for a caller that is about to wait.
    mutating func makeID() -> Int {
        lastCaller += 1
        return lastCaller
    }

    mutating func add(_ caller: Int, _ continuation: CheckedContinuation<Void, any Error>) {
        continuations[caller] = continuation
    }

    /// Resumes a caller whose task was cancelled.
    mutating func cancel(_ caller: Int) {
        continuations.removeValue(forKey: caller)?.resume(throwing: CancellationError())
    }

    /// Resumes all callers at the end of the earlier call.
    mutating func resumeAll() {
        let resumed = continuations
        continuations = [:]
        for caller in resumed.keys.sorted() { resumed[caller]?.resume() }
    }
}
