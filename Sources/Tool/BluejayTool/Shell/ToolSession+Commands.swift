import ArgumentParser

extension ToolSession {
    /// Runs a subcommand of a shell, which keeps the connection.
    ///
    /// - Parameters:
    ///   - adapter: The adapter that the subcommand names; `nil` is that of the shell.
    ///   - work: Cancelled at Ctrl-C and at the end of the shell.
    /// - Throws: The exit status unless it is 0; the reason is then on standard error.
    func runCommand(
        on adapter: String?,
        _ work: @escaping @MainActor (ToolSession) async throws -> Void
    ) async throws {
        guard adapter == nil else {
            throw ValidationError("a shell uses one adapter; give --adapter to the shell")
        }
        let ending = beginCommand()
        defer { endCommand() }
        let task = Task {
            do {
                try await work(self)
                ending.end(.completed)
            } catch {
                ending.end(.failed(error))
            }
        }
        let cause = await ending.wait()
        if case .timedOut(let finish) = cause { await finish() } else { task.cancel() }
        await task.value
        let status = report(cause)
        await console.drain(isPatient: true)
        if let status { throw status }
    }
}
