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
    let console = Console { ending.end(.closed) }
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
    task.cancel()
    await session.close()
    await task.value
    var status: (any Error)?
    var isPatient = false
    switch cause {
    case .completed: isPatient = true
    case .timedOut, .closed: break
    case .signal(let number): status = ExitCode(128 + number)
    case .failed(let error as ExitCode): status = error
    case .failed(let error as ValidationError): status = error
    case .failed(let error):
        let failure = ToolFailure(error)
        console.writeError("bluejay: \(failure.message)")
        status = ExitCode(failure.status.rawValue)
    }
    ending.isDraining = true
    await console.drain(isPatient: isPatient)
    if let status { throw status }
}
