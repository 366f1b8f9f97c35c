internal import Bluejay
internal import BluejayGLib

/// One call that a task awaits: to the queue and back.
///
/// The completion is called exactly once, and the task goes on with it. It knows nothing of the value, so
/// that no type of it is made for each type of value.
// Everything but `answer` is used on the main loop only: the invariant behind `@unchecked`.
final class AwaitedCall: @unchecked Swift.Sendable {
    typealias Completion = ((any Error)?) -> Void
    /// Makes the call, with a completion to be called once, and gives the way to take it back.
    typealias Start = @Sendable (Bluejay, @escaping Completion) -> (() -> Void)?
    private typealias Continuation = CheckedContinuation<Void, any Error>

    /// Where the end of the call, which may come before the task waits for it, meets the task.
    private let answer = Rendezvous<(any Error)?>()
    private let bluejay: Bluejay
    private var takeBack: (() -> Void)?
    /// The call may need time to pass, which the caller's task may keep from passing.
    private let hold = ClockHold.current
    private var isCancelled = false
    private var hasEnded = false

    init(_ bluejay: Bluejay) {
        self.bluejay = bluejay
    }

    /// Makes the call on the main loop and awaits its end.
    nonisolated(nonsending) func run(_ start: @escaping Start) async throws {
        let loop = bluejay.mainLoop
        loop.perform { [self] in begin(start) }
        // What follows may leave the isolation of the caller.
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: Continuation) in
                answer.wait { error in
                    if let error {
                        continuation.resume(throwing: error)
                    } else {
                        continuation.resume()
                    }
                }
            }
        } onCancel: {
            loop.post { [self] in cancel() }
        }
    }

    private func begin(_ start: Start) {
        hold?.pause()
        let takeBack = start(bluejay) { [self] in end($0) }
        // It may have been refused at once.
        if !hasEnded { self.takeBack = takeBack }
    }

    private func cancel() {
        guard !hasEnded else { return }
        isCancelled = true
        takeBack?()
    }

    private func end(_ error: (any Error)?) {
        guard !hasEnded else { return }
        hasEnded = true
        takeBack = nil
        hold?.resume()
        answer.give(translated(error))
    }

    // A call that ended otherwise before the cancellation reached it keeps its own end.
    private func translated(_ error: (any Error)?) -> (any Error)? {
        guard isCancelled, error as? BluejayError == .cancelled else { return error }
        return CancellationError()
    }
}

extension Bluejay {
    /// The end of a call whose value is of a type that is not known here.
    typealias Completion<Value> = (Result<Value, any Error>) -> Void

    /// Takes an operation into the queue and awaits it; cancelling the task cancels the operation.
    nonisolated(nonsending) func awaitedOperation<Value: Swift.Sendable>(
        _ start: @escaping @Sendable (Bluejay, @escaping Completion<Value>) -> Void
    ) async throws -> Value {
        try Task.checkCancellation()
        return try await awaited { bluejay, completion in
            guard let id = bluejay.operation({ start(bluejay, completion) }) else { return nil }
            return { bluejay.cancelOperation(id) }
        }
    }

    /// Makes a call on the main loop and awaits it; cancelling the task takes it back.
    ///
    /// It is made or posted before the first suspension and from the isolation of the caller: the calls of
    /// one actor reach the queue in their order.
    nonisolated(nonsending) func awaited<Value: Swift.Sendable>(
        _ start: @escaping @Sendable (Bluejay, @escaping Completion<Value>) -> (() -> Void)?
    ) async throws -> Value {
        let end = AwaitedResult<Value>()
        try await AwaitedCall(self).run { bluejay, completion in
            start(bluejay) { result in
                end.result = result
                switch result {
                case .success: completion(nil)
                case .failure(let error): completion(error)
                }
            }
        }
        return try end.result.get()
    }
}

/// What a call ends with.
// Set before the call ends, and read by the task that has awaited that: the invariant behind `@unchecked`.
private final class AwaitedResult<Value: Swift.Sendable>: @unchecked Swift.Sendable {
    var result: Result<Value, any Error> = .failure(BluejayError.cancelled)
}
