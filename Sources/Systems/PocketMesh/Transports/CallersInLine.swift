/// Callers of one actor that wait until a call before theirs has ended.
///
/// It is used on the loop of the actor only.
struct CallersInLine {
    private var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
    private var lastCaller = 0

    /// Makes a number for a caller that is about to wait.
    mutating func makeNumber() -> Int {
        lastCaller += 1
        return lastCaller
    }

    /// A caller waits from now on.
    mutating func add(_ caller: Int, _ continuation: CheckedContinuation<Void, any Error>) {
        waiting[caller] = continuation
    }

    /// A caller was cancelled.
    mutating func cancel(_ caller: Int) {
        waiting.removeValue(forKey: caller)?.resume(throwing: CancellationError())
    }

    /// The call before theirs has ended.
    mutating func resumeAll() {
        let resumed = waiting
        waiting = [:]
        for caller in resumed.keys.sorted() { resumed[caller]?.resume() }
    }
}
