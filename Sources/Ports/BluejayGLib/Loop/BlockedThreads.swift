internal import CBluejay
internal import Synchronization

/// The threads that wait for a context, to be woken when it ends.
final class BlockedThreads: Swift.Sendable {
    private struct State {
        var hasLoopEnded = false
        var calls: [ObjectIdentifier: any CancellableWait] = [:]
        /// The lock of the last answer, reused by the next.
        var spareLock: ConditionLock?
    }

    private let state = Mutex(State())

    /// Returns `nil` if the loop has ended.
    func add<Answer: CancellableWait>(_ make: (ConditionLock) -> Answer) -> Answer? {
        state.withLock { state in
            guard !state.hasLoopEnded else { return nil }
            let answer = make(state.spareLock.take() ?? ConditionLock())
            state.calls[ObjectIdentifier(answer)] = answer
            return answer
        }
    }

    func remove(_ answer: some CancellableWait) {
        state.withLock { state in
            state.calls[ObjectIdentifier(answer)] = nil
            state.spareLock = answer.lock
        }
    }

    /// Records that the loop runs, possibly after an end.
    func loopStarted() {
        state.withLock { $0.hasLoopEnded = false }
    }

    /// Records the end of the loop and wakes the threads; later posts run only if `isServed`.
    func loopEnded(isServed: Bool) {
        let answers = state.withLock { state in
            state.hasLoopEnded = !isServed
            return state.calls.values
        }
        for answer in answers { answer.cancel() }
    }
}

protocol CancellableWait: AnyObject, Swift.Sendable {
    var lock: ConditionLock { get }
    func cancel()
}

/// A value for a thread that waits for the context.
// `work` is used on the context only, the rest under the lock: that invariant justifies `@unchecked`.
final class BlockingCall<Value>: CancellableWait, @unchecked Swift.Sendable {
    let lock: ConditionLock
    private var value: Value?
    private var isEnded = false
    private var hasStarted = false
    private var hasTimedOut = false
    private let work: (@escaping (Value) -> Void) -> Void

    init(_ lock: ConditionLock, _ work: @escaping (@escaping (Value) -> Void) -> Void) {
        self.lock = lock
        self.work = work
    }

    func start() {
        let isWanted = lock.withLock {
            hasStarted = !hasTimedOut
            return hasStarted
        }
        if isWanted { work { [self] in complete($0) } }
    }

    func cancel() { complete(nil) }

    // Signalled outside the lock, so that the thread does not wake only to wait for the lock. A thread that
    // reuses the lock checks its own state.
    private func complete(_ value: Value?) {
        let isFirst = lock.withLock {
            defer { isEnded = true }
            if !isEnded { self.value = value }
            return !isEnded
        }
        if isFirst { lock.signal() }
    }

    func wait(within limit: Duration?) -> Value? {
        let deadline = limit.map { bluejay_monotonic_time() + Int64($0 / .microseconds(1)) }
        return lock.withLock {
            while !isEnded {
                guard let deadline, !hasStarted else {
                    lock.wait()
                    continue
                }
                guard !lock.wait(until: deadline), !isEnded, !hasStarted else { continue }
                isEnded = true
                hasTimedOut = true
            }
            return value
        }
    }
}
