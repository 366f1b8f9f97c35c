internal import Bluejay
internal import BluejayGLib

/// A call that a task awaits.
///
/// The completion is called exactly once and resumes the task. The class does not depend on the type of the
/// value, so that it is not specialized for each type.
// Apart from `result`, all state is used on the main loop only: the invariant behind `@unchecked`.
final class AwaitedCall: @unchecked Swift.Sendable {
    typealias Completion = ((any Error)?) -> Void
    /// Makes the call with a completion that is called once, and returns a closure that cancels the call.
    typealias Start = @Sendable (Bluejay, @escaping Completion) -> (() -> Void)?

    /// Resumes the task, which may start to wait after the call has ended.
    private let result = Rendezvous<(any Error)?>()
    private let bluejay: Bluejay
    private var cancelCall: (() -> Void)?
    /// The hold of the caller's task, paused during the call so that virtual time can pass.
    private let hold = ClockHold.current
    private var isCancelled = false
    private var hasEnded = false

    init(_ bluejay: Bluejay) {
        self.bluejay = bluejay
    }

    nonisolated(nonsending) func run(_ start: @escaping Start) async throws {
        let loop = bluejay.mainLoop
        loop.perform { [self] in startCall(start) }
        if let error = await result.value(from: loop, cancel: { [self] in cancel() }) {
            throw error
        }
    }

    private func startCall(_ start: Start) {
        hold?.pause()
        let cancelCall = start(bluejay) { [self] in end($0) }
        // The call may have been rejected at once.
        if !hasEnded { self.cancelCall = cancelCall }
    }

    private func cancel() {
        guard !hasEnded else { return }
        isCancelled = true
        cancelCall?()
    }

    private func end(_ error: (any Error)?) {
        guard !hasEnded else { return }
        hasEnded = true
        cancelCall = nil
        hold?.resume()
        result.send(translated(error))
    }

    // A call that ended before the cancellation reached it keeps its own result.
    private func translated(_ error: (any Error)?) -> (any Error)? {
        guard isCancelled, error as? BluejayError == .cancelled else { return error }
        return CancellationError()
    }
}

extension Bluejay {
    /// The completion of a call with any type of value.
    typealias Completion<Value> = (Result<Value, any Error>) -> Void

    /// Adds an operation to the queue and awaits it; cancelling the task cancels the operation.
    nonisolated(nonsending) func awaitedOperation<Value: Swift.Sendable>(
        _ start: @escaping @Sendable (Bluejay, @escaping Completion<Value>) -> Void
    ) async throws -> Value {
        try Task.checkCancellation()
        return try await awaited { bluejay, completion in
            guard let id = bluejay.operation({ start(bluejay, completion) }) else { return nil }
            return { bluejay.cancelOperation(id) }
        }
    }

    /// Makes a call on the main loop and awaits it; cancelling the task cancels the call.
    ///
    /// The call is made or posted before the first suspension, in the isolation of the caller, so the calls
    /// of one actor reach the queue in order.
    nonisolated(nonsending) func awaited<Value: Swift.Sendable>(
        _ start: @escaping @Sendable (Bluejay, @escaping Completion<Value>) -> (() -> Void)?
    ) async throws -> Value {
        let outcome = AwaitedResult<Value>()
        try await AwaitedCall(self).run { bluejay, completion in
            start(bluejay) { result in
                outcome.result = result
                switch result {
                case .success: completion(nil)
                case .failure(let error): completion(error)
                }
            }
        }
        return try outcome.result.get()
    }
}

// Set before the call ends, and read by the task that has awaited that end: the invariant behind
// `@unchecked`.
private final class AwaitedResult<Value: Swift.Sendable>: @unchecked Swift.Sendable {
    var result: Result<Value, any Error> = .failure(BluejayError.cancelled)
}
