/// Makes a call on the loop and awaits its completion.
///
/// If the task is cancelled before the completion, `cancel` runs on the loop, and the call throws
/// `CancellationError`.
package func awaited<Value: Swift.Sendable>(
    _ loop: MainLoop,
    _ start: @escaping @Sendable (@escaping (Result<Value, any Error>) -> Void) -> Void,
    cancel: @escaping @Sendable () -> Void
) async throws -> Value {
    try Task.checkCancellation()
    let rendezvous = Rendezvous<Result<Value, any Error>>()
    loop.post { start { rendezvous.send($0) } }
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            rendezvous.receive { continuation.resume(with: $0) }
        }
    } onCancel: {
        loop.post {
            guard !rendezvous.isFilled else { return }
            rendezvous.send(.failure(CancellationError()))
            cancel()
        }
    }
}
