internal import CBluejay
internal import Synchronization

/// The threads that wait for a context, to be woken when it ends.
final class BlockedThreads: Swift.Sendable {
    private struct State {
        var hasLoopEnded = false
        var calls: [ObjectIdentifier: any CancellableWait] = [:]
        /// The lock of the last call, reused by the next.
        var spareLock: ConditionLock?
    }

    private let state = Mutex(State())

    /// Returns `nil` if the loop has ended.
    func add<Call: CancellableWait>(_ make: (ConditionLock) -> Call) -> Call? {
        state.withLock { state in
            guard !state.hasLoopEnded else { return nil }
            let call = make(state.spareLock.take() ?? ConditionLock())
            state.calls[ObjectIdentifier(call)] = call
            return call
        }
    }

    func remove(_ call: some CancellableWait) {
        state.withLock { state in
            state.calls[ObjectIdentifier(call)] = nil
            state.spareLock = call.lock
        }
    }

    /// Records that the loop runs, possibly after an end.
    func loopStarted() {
        state.withLock { $0.hasLoopEnded = false }
    }

    /// Records the end of a loop that runs no later posts, and wakes the threads.
    func loopEnded() {
        let calls = state.withLock { state in
            state.hasLoopEnded = true
            return state.calls.values
        }
        for call in calls { call.cancel() }
    }

    /// Wakes the threads whose work has started, because nothing will resume it.
    func cancelStarted() {
        let calls = state.withLock { $0.calls.values }
        for call in calls where call.hasStarted { call.cancel() }
    }
}

protocol CancellableWait: AnyObject, Swift.Sendable {
    var lock: ConditionLock { get }
    var hasStarted: Bool { get }
    func cancel()
}

/// A value for a thread that waits for the context.
// `work` is used on the context only, the rest under the lock: that invariant justifies `@unchecked`.
final class BlockingCall<Value>: CancellableWait, @unchecked Swift.Sendable {
    let lock: ConditionLock
    private var value: Value?
    private var isEnded = false
    private var isStarted = false
    private var hasTimedOut = false
    private let work: (@escaping (Value) -> Void) -> Void

    init(_ lock: ConditionLock, _ work: @escaping (@escaping (Value) -> Void) -> Void) {
        self.lock = lock
        self.work = work
    }

    func start() {
        let shouldRun = lock.withLock {
            isStarted = !hasTimedOut
            return isStarted
        }
        if shouldRun { work { [self] in complete($0) } }
    }

    var hasStarted: Bool { lock.withLock { isStarted } }

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

    func wait(within timeout: Duration?) -> Value? {
        let deadline = timeout.map { bluejay_monotonic_time() + Int64($0 / .microseconds(1)) }
        return lock.withLock {
            while !isEnded {
                guard let deadline, !isStarted else {
                    lock.wait()
                    continue
                }
                guard !lock.wait(until: deadline), !isEnded, !isStarted else { continue }
                isEnded = true
                hasTimedOut = true
            }
            return value
        }
    }
}
