internal import Bluejay

/// One call that a task awaits: to the queue and back.
///
/// The completion is called exactly once, and with it the continuation.
// Everything of it is used on the main loop only: the invariant behind `@unchecked`.
final class AwaitedCall<Value: Swift.Sendable>: @unchecked Swift.Sendable {
    /// Makes the call, with a completion to be called once.
    typealias Start = @Sendable (Bluejay, @escaping (Result<Value, any Error>) -> Void) -> Void

    private let bluejay: Bluejay
    private var operation: Int?
    private var isCancelled = false

    init(_ bluejay: Bluejay) {
        self.bluejay = bluejay
    }

    func begin(_ continuation: CheckedContinuation<Value, any Error>, _ start: Start) {
        guard !isCancelled else { return continuation.resume(throwing: CancellationError()) }
        operation = bluejay.operation {
            start(bluejay) { result in continuation.resume(with: self.translated(result)) }
        }
    }

    func cancel() {
        isCancelled = true
        if let operation { bluejay.cancelOperation(operation) }
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
    /// Makes a call on the main loop and awaits it; cancelling the task cancels its operation.
    ///
    /// It is posted before the first suspension and from the isolation of the caller: the calls of one
    /// actor reach the queue in their order.
    nonisolated(nonsending) func awaited<Value: Swift.Sendable>(
        _ start: @escaping AwaitedCall<Value>.Start
    ) async throws -> Value {
        let call = AwaitedCall<Value>(self)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                mainLoop.post { call.begin(continuation, start) }
            }
        } onCancel: {
            mainLoop.post { call.cancel() }
        }
    }
}
