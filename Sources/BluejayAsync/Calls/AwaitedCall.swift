internal import Bluejay

/// One call that a task awaits: to the queue and back.
///
/// The completion is called exactly once, and with it the continuation.
// Everything of it is used on the main loop only: the invariant behind `@unchecked`.
final class AwaitedCall<Value: Swift.Sendable>: @unchecked Swift.Sendable {
    typealias Completion = (Result<Value, any Error>) -> Void
    /// Makes the call, with a completion to be called once, and gives the way to take it back.
    typealias Start = @Sendable (Bluejay, @escaping Completion) -> (() -> Void)?

    private let bluejay: Bluejay
    private var takeBack: (() -> Void)?
    private var isCancelled = false
    /// The end of the call, which may come before the task waits for it.
    private var result: Result<Value, any Error>?
    private var continuation: CheckedContinuation<Value, any Error>?

    init(_ bluejay: Bluejay) {
        self.bluejay = bluejay
    }

    func begin(_ start: Start) {
        let takeBack = start(bluejay) { [self] in end($0) }
        // It may have been refused at once.
        if result == nil { self.takeBack = takeBack }
    }

    func wait(_ continuation: CheckedContinuation<Value, any Error>) {
        guard let result else { return self.continuation = continuation }
        continuation.resume(with: result)
    }

    func cancel() {
        guard result == nil else { return }
        isCancelled = true
        takeBack?()
    }

    private func end(_ result: Result<Value, any Error>) {
        takeBack = nil
        self.result = translated(result)
        continuation?.resume(with: translated(result))
        continuation = nil
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
                mainLoop.post { call.wait(continuation) }
            }
        } onCancel: {
            mainLoop.post { call.cancel() }
        }
    }
}
