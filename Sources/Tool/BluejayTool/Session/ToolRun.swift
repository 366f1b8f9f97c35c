import ArgumentParser
import Bluejay
import BluejayAsync

/// Does the work of a subcommand, and closes what is open whatever ends it.
///
/// - Parameters:
///   - adapter: Its name or address; nil is the first that is on.
///   - work: Cancelled when it is enough, at a signal, and when nobody reads the output any more.
/// - Throws: The exit status, when it is not 0; why is on standard error then.
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
            ending.end(.done)
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
    case .done: isPatient = true
    case .timeIsOver, .closed: break
    case .signal(let number): status = ExitCode(128 + number)
    case .failed(let error as ExitCode): status = error
    case .failed(let error as ValidationError): status = error
    case .failed(let error):
        let failure = ToolFailure(error)
        console.note("bluejay: \(failure.message)")
        status = ExitCode(failure.status.rawValue)
    }
    ending.isDraining = true
    await console.drain(isPatient: isPatient)
    if let status { throw status }
}
