internal import Bluejay
internal import BluejayGLib

/// One call that a task awaits: to the queue and back.
///
/// The completion is called exactly once, and the task goes on with it.
// Everything but `answer` is used on the main loop only: the invariant behind `@unchecked`.
final class AwaitedCall<Value: Swift.Sendable>: @unchecked Swift.Sendable {
    typealias Completion = (Result<Value, any Error>) -> Void
    /// Makes the call, with a completion to be called once, and gives the way to take it back.
    typealias Start = @Sendable (Bluejay, @escaping Completion) -> (() -> Void)?

    /// Where the end of the call, which may come before the task waits for it, meets the task.
    let answer = Meeting<Result<Value, any Error>>()
    private let bluejay: Bluejay
    private var takeBack: (() -> Void)?
    private var isCancelled = false

    init(_ bluejay: Bluejay) {
        self.bluejay = bluejay
    }

    func begin(_ start: Start) {
        let takeBack = start(bluejay) { [self] in end($0) }
        // It may have been refused at once.
        if !answer.isGiven { self.takeBack = takeBack }
    }

    func cancel() {
        guard !answer.isGiven else { return }
        isCancelled = true
        takeBack?()
    }

    private func end(_ result: Result<Value, any Error>) {
        takeBack = nil
        answer.give(translated(result))
    }

    // A call that ended otherwise before the cancellation reached it keeps its own end.
    private func translated(_ result: Result<Value, any Error>) -> Result<Value, any Error> {
        guard isCancelled, case .failure(let error) = result,
            error as? BluejayError == .cancelled
        else { return result }
        return .failure(CancellationError())
    }
}

extension Bluejay {
    /// Takes an operation into the queue and awaits it; cancelling the task cancels the operation.
    nonisolated(nonsending) func awaitedOperation<Value: Swift.Sendable>(
        _ start: @escaping @Sendable (Bluejay, @escaping AwaitedCall<Value>.Completion) -> Void
    ) async throws -> Value {
        try Task.checkCancellation()
        return try await awaited { bluejay, completion in
            guard let id = bluejay.operation({ start(bluejay, completion) }) else { return nil }
            return { bluejay.cancelOperation(id) }
        }
    }

    /// Makes a call on the main loop and awaits it; cancelling the task takes it back.
    ///
    /// It is posted before the first suspension and from the isolation of the caller: the calls of one
    /// actor reach the queue in their order.
    nonisolated(nonsending) func awaited<Value: Swift.Sendable>(
        _ start: @escaping AwaitedCall<Value>.Start
    ) async throws -> Value {
        let call = AwaitedCall<Value>(self)
        mainLoop.post { call.begin(start) }
        // What follows may leave the isolation of the caller.
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                call.answer.wait { continuation.resume(with: $0) }
            }
        } onCancel: {
            mainLoop.post { call.cancel() }
        }
    }
}
