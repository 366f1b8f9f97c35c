internal import BluejayGLib
internal import FoundationEssentials

extension BluetoothHost {
    /// Runs a whole program, and closes its links on every way out.
    ///
    /// ```swift
    /// await BluetoothHost.main { host in
    ///     let server = GATTServer(host: host)
    ///     server.start()
    ///     try await server.serve([service], advertising: advertisement)
    /// }
    /// ```
    ///
    /// When `body` returns, everything open on the loop closes, such as links and published services, and then
    /// this function returns. If `body` throws, the error's description is printed on standard error, and the
    /// program ends with the status 1. SIGINT, which Ctrl-C sends, and SIGTERM cancel the task; when everything is
    /// closed, the signal ends the program. A second one ends it at once. Signals that the program handles or
    /// ignores are left to it.
    ///
    /// - Parameters:
    ///   - host: The loop, the adapter and the bus.
    ///   - body: The program.
    public nonisolated(nonsending) static func main(
        host: BluetoothHost = BluetoothHost(),
        _ body: nonisolated(nonsending) (BluetoothHost) async throws -> Void
    ) async {
        let failure: (any Error)? = await host.mainLoop.withTerminationScope {
            var failure: (any Error)?
            do {
                try await body(host)
            } catch {
                failure = error
            }
            await host.mainLoop.closeResources()
            return failure
        }
        guard let failure else { return }
        if failure is CancellationError, Task.isCancelled { return }
        MainLoop.endProgram((failure as? any LocalizedError)?.errorDescription ?? "\(failure)")
    }
}
