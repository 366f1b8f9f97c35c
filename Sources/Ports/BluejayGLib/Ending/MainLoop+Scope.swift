internal import Glibc

extension MainLoop {
    /// Runs a body whose resources on this loop are closed before SIGINT or SIGTERM ends the program.
    ///
    /// At the signal, the current task is cancelled. If no other scope is around this one, the function does not
    /// return then: the signal ends the program when all scopes are closed. A signal that the program handles or
    /// ignores has none of these effects, and virtual time knows no signals.
    ///
    /// - Parameter body: Closes its resources before it returns.
    /// - Returns: The result of the body.
    package nonisolated(nonsending) func withTerminationScope<Value>(
        _ body: nonisolated(nonsending) () async -> Value
    ) async -> Value {
        let isReal = context.environment.value.clock == nil
        let isNested = OpenScope.isAroundTask
        let scopes = TerminationScopes.shared
        guard isReal, let id = scopes.open(on: self, isNested: isNested) else {
            return await body()
        }
        let value = await OpenScope.$isAroundTask.withValue(true) { await body() }
        // The task waits for the end of the program.
        if !scopes.close(id) {
            unsafe await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        }
        return value
    }

    /// Closes what is open on this loop, such as links, which remains usable.
    package nonisolated(nonsending) func closeResources() async {
        await withCheckedContinuation { continuation in
            context.closeResources { continuation.resume() }
        }
    }

    /// Prints one line on standard error and ends the program with the status 1.
    package static func endProgram(_ sentence: String) -> Never {
        StandardError.write(sentence)
        exit(1)
    }
}

private enum OpenScope {
    /// Whether the current task has an open scope, or belongs to a task that had one.
    @TaskLocal static var isAroundTask = false
}
