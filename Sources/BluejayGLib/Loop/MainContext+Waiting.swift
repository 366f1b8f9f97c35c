internal import Foundation
internal import Synchronization

extension MainContext {
    /// Runs `work` on the context, and blocks the calling thread until `work` has called what it is given.
    ///
    /// - Parameter work: Given what resumes the thread, to be called at once or later; a second call does
    ///   nothing.
    /// - Returns: Nil when the loop ended before, or has ended and is not run again.
    package func wait<Value>(
        _ work: @escaping (_ resume: @escaping (Value) -> Void) -> Void
    ) -> Value? {
        let answer = Answer<Value>(work)
        guard waitingThreads.add(answer) else { return nil }
        post { answer.begin() }
        let value = answer.take()
        waitingThreads.remove(answer)
        return value
    }
}

/// The threads that wait for a context, to be woken when it ends.
final class WaitingThreads: Swift.Sendable {
    private struct State {
        var isOver = false
        var answers: [ObjectIdentifier: any Abandonable] = [:]
    }

    private let state = Mutex(State())

    fileprivate func add(_ answer: any Abandonable) -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            state.answers[ObjectIdentifier(answer)] = answer
            return true
        }
    }

    fileprivate func remove(_ answer: any Abandonable) {
        _ = state.withLock { $0.answers.removeValue(forKey: ObjectIdentifier(answer)) }
    }

    /// The loop runs, perhaps again.
    func loopBegins() {
        state.withLock { $0.isOver = false }
    }

    /// The loop ends; what is posted from now on is done only when `isServed`.
    func loopEnds(isServed: Bool) {
        let answers = state.withLock { state in
            state.isOver = !isServed
            return state.answers.values
        }
        for answer in answers { answer.abandon() }
    }
}

private protocol Abandonable: AnyObject, Swift.Sendable {
    func abandon()
}

/// One value that goes from the context to the thread that waits for it.
// `work` is used on the context only, and the rest under the lock of `condition`: that is the invariant
// behind `@unchecked`.
private final class Answer<Value>: Abandonable, @unchecked Swift.Sendable {
    private let condition = NSCondition()
    private var value: Value?
    private var isOver = false
    private let work: (@escaping (Value) -> Void) -> Void

    init(_ work: @escaping (@escaping (Value) -> Void) -> Void) { self.work = work }

    func begin() {
        work { [self] in end($0) }
    }

    func abandon() { end(nil) }

    private func end(_ value: Value?) {
        condition.lock()
        if !isOver { self.value = value }
        isOver = true
        condition.broadcast()
        condition.unlock()
    }

    func take() -> Value? {
        condition.lock()
        defer { condition.unlock() }
        while !isOver { condition.wait() }
        return value
    }
}
