import ArgumentParser
import Bluejay
import BluejayAsync

/// Runs a subcommand, and always closes the connection and the input.
///
/// - Parameters:
///   - adapter: The name or address of the adapter; `nil` selects the first powered one.
///   - work: Cancelled at a time limit, at a signal, and when the reader has closed standard output.
/// - Throws: The exit status unless it is 0; the reason is then on standard error.
@MainActor
func runTool(
    on adapter: String?,
    _ work: @escaping @MainActor (ToolSession) async throws -> Void
) async throws {
    if let shell = ShellTask.session { return try await shell.runCommand(on: adapter, work) }
    let ending = ExitCondition()
    let console = Console { failure in
        ending.outputFailure = ending.outputFailure ?? failure
        ending.end(failure.map { .failed($0) } ?? .closed)
    }
    let session = ToolSession(adapter, console, ending)
    let task = Task {
        do {
            try await work(session)
            ending.end(.completed)
        } catch {
            ending.end(.failed(error))
        }
    }
    let cause = await ending.wait()
    if case .timedOut(let finish) = cause {
        // The command still writes what it has received, as slowly as its reader takes it.
        await finish()
        await session.close()
        ending.isDraining = true
    } else {
        task.cancel()
        await session.close()
    }
    await task.value
    var isPatient = true
    switch cause {
    case .closed, .signal: isPatient = false
    case .completed, .timedOut, .failed: break
    }
    var status = session.report(cause)
    ending.isDraining = true
    await console.drain(isPatient: isPatient)
    if status == nil, let failure = ending.outputFailure {
        console.writeError("bluejay: \(failure.message)")
        status = ExitCode(failure.status.rawValue)
        await console.drain(isPatient: isPatient)
    }
    if let status { throw status }
}

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

    /// Writes the reason of a failure to standard error.
    ///
    /// - Returns: The error with the exit status; `nil` for 0.
    func report(_ cause: ExitCondition.Reason) -> (any Error)? {
        switch cause {
        case .completed, .timedOut, .closed: return nil
        case .signal(let number): return ExitCode(128 + number)
        case .failed(let error as ExitCode): return error
        case .failed(let error as ValidationError): return error
        case .failed(let error):
            let failure = failure(for: error)
            console.writeError("bluejay: \(failure.message)")
            return ExitCode(failure.status.rawValue)
        }
    }
}
