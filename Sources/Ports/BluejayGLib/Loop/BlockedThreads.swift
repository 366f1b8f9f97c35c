internal import CBluejay
internal import Synchronization

/// The threads that wait for a context, to be woken when it ends.
final class BlockedThreads: Swift.Sendable {
    private struct State {
        var isOver = false
        var answers: [ObjectIdentifier: any CancellableWait] = [:]
        /// The lock of the last answer, reused by the next.
        var spare: ConditionLock?
    }

    private let state = Mutex(State())

    /// Returns `nil` if the loop has ended.
    func add<Answer: CancellableWait>(_ make: (ConditionLock) -> Answer) -> Answer? {
        state.withLock { state in
            guard !state.isOver else { return nil }
            let answer = make(state.spare.take() ?? ConditionLock())
            state.answers[ObjectIdentifier(answer)] = answer
            return answer
        }
    }

    func remove(_ answer: some CancellableWait) {
        state.withLock { state in
            state.answers[ObjectIdentifier(answer)] = nil
            state.spare = answer.lock
        }
    }

    /// Records that the loop runs, possibly after an end.
    func loopBegins() {
        state.withLock { $0.isOver = false }
    }

    /// Records the end of the loop and wakes the threads; later posts run only if `isServed`.
    func loopEnds(isServed: Bool) {
        let answers = state.withLock { state in
            state.isOver = !isServed
            return state.answers.values
        }
        for answer in answers { answer.abandon() }
    }
}

protocol CancellableWait: AnyObject, Swift.Sendable {
    var lock: ConditionLock { get }
    func abandon()
}

/// A value for a thread that waits for the context.
// `work` is used on the context only, the rest under the lock: that invariant justifies `@unchecked`.
final class Answer<Value>: CancellableWait, @unchecked Swift.Sendable {
    let lock: ConditionLock
    private var value: Value?
    private var isOver = false
    private var hasBegun = false
    private var isGivenUp = false
    private let work: (@escaping (Value) -> Void) -> Void

    init(_ lock: ConditionLock, _ work: @escaping (@escaping (Value) -> Void) -> Void) {
        self.lock = lock
        self.work = work
    }

    func begin() {
        let isWanted = lock.locked {
            hasBegun = !isGivenUp
            return hasBegun
        }
        if isWanted { work { [self] in end($0) } }
    }

    func abandon() { end(nil) }

    // Signalled outside the lock, so that the thread does not wake only to wait for the lock. A thread that
    // reuses the lock checks its own state.
    private func end(_ value: Value?) {
        let isFirst = lock.locked {
            defer { isOver = true }
            if !isOver { self.value = value }
            return !isOver
        }
        if isFirst { lock.signal() }
    }

    func take(within limit: Duration?) -> Value? {
        let deadline = limit.map { bluejay_monotonic_time() + Int64($0 / .microseconds(1)) }
        return lock.locked {
            while !isOver {
                guard let deadline, !hasBegun else {
                    lock.wait()
                    continue
                }
                guard !lock.wait(until: deadline), !isOver, !hasBegun else { continue }
                isOver = true
                isGivenUp = true
            }
            return value
        }
    }
}
