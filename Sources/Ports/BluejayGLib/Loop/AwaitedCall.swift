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
    let result = await rendezvous.value(from: loop) {
        guard !rendezvous.isFilled else { return }
        rendezvous.send(.failure(CancellationError()))
        cancel()
    }
    return try result.get()
}

extension Rendezvous {
    /// Awaits the value of a call that the task has made on the loop, or has posted to it.
    ///
    /// If the task is cancelled meanwhile, `cancel` runs on the loop after the call. The task still waits for
    /// the value.
    package nonisolated(nonsending) func value(
        from loop: MainLoop,
        cancel: @escaping @Sendable () -> Void
    ) async -> Value {
        // The closures below may leave the isolation of the caller.
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                receive { continuation.resume(returning: $0) }
            }
        } onCancel: {
            loop.post(cancel)
        }
    }
}

extension Actor {
    /// Makes a call on this actor, whose executor is `loop`, and awaits its completion.
    ///
    /// `start` is called before the first suspension, and its continuation is resumed on the loop. If the
    /// task is cancelled meanwhile, `cancel` runs on the loop after `start`. The task still waits for the
    /// continuation.
    package func awaitCall<Value: Swift.Sendable>(
        on loop: MainLoop,
        _ start: (CheckedContinuation<Value, any Error>) -> Void,
        cancel: @escaping @Sendable (isolated Self) -> Void
    ) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation(isolation: self, start)
        } onCancel: { [weak self] in
            loop.post { [weak self] in self?.assumeIsolated(cancel) }
        }
    }
}
