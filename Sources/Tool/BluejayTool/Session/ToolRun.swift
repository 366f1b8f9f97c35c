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
    var status: (any Error)?
    var isPatient = true
    switch cause {
    case .completed, .timedOut: break
    case .closed: isPatient = false
    case .signal(let number):
        isPatient = false
        status = ExitCode(128 + number)
    case .failed(let error as ExitCode): status = error
    case .failed(let error as ValidationError): status = error
    case .failed(let error):
        let failure = ToolFailure(error)
        console.writeError("bluejay: \(failure.message)")
        status = ExitCode(failure.status.rawValue)
    }
    ending.isDraining = true
    await console.drain(isPatient: isPatient)
    if status == nil, let failure = ending.outputFailure {
        console.writeError("bluejay: \(failure.message)")
        status = ExitCode(failure.status.rawValue)
        await console.drain(isPatient: isPatient)
    }
    if let status { throw status }
}
