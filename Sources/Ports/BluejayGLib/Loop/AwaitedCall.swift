extension MainLoop {
    /// Suspends the task until its continuation is resumed.
    ///
    /// - Parameters:
    ///   - start: Receives the continuation, in the isolation of the caller.
    ///   - cancel: Called on the loop if the task is cancelled, even if the continuation was resumed
    ///     meanwhile.
    /// - Returns: The value of the continuation.
    /// - Throws: The error of the continuation.
    package nonisolated(nonsending) func awaiting<Value: Swift.Sendable>(
        _ start: (CheckedContinuation<Value, any Error>) -> Void,
        cancel: @escaping @Sendable () -> Void
    ) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { start($0) }
        } onCancel: {
            post(cancel)
        }
    }
}

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
    let answer = Meeting<Result<Value, any Error>>()
    loop.post { start { answer.give($0) } }
    return try await loop.awaiting { continuation in
        answer.wait { continuation.resume(with: $0) }
    } cancel: {
        guard !answer.isGiven else { return }
        answer.give(.failure(CancellationError()))
        cancel()
    }
}
