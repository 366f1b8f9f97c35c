public import Bluejay

extension Bluejay {
    /// Connects to the first peripheral that fits a filter: a scan and a connection as one call.
    ///
    /// If a matching peripheral is connected, or is being connected, the call succeeds with that.
    ///
    /// Joins the queue as a `connect` does, and ends a scan that is in it. When the task is cancelled the
    /// search, or the attempt, is taken back first.
    ///
    /// - Parameters:
    ///   - filter: Whom to connect to.
    ///   - limit: For the search and the connection together, from their turn in the queue; `.none`
    ///     tries until it is cancelled.
    /// - Returns: The peripheral, with the name that is known now.
    /// - Throws: `BluejayError.noPeripheralFound` when nobody was found in time, else what the completion
    ///   of the call with the same name fails with, or `CancellationError`.
    @discardableResult
    public nonisolated(nonsending) func connect(
        toFirst filter: ScanFilter,
        within limit: Timeout = .standard
    ) async throws -> PeripheralIdentifier {
        try await awaitedOperation { bluejay, completion in
            bluejay.connect(toFirst: filter, within: limit) { completion($0.result) }
        }
    }
}
