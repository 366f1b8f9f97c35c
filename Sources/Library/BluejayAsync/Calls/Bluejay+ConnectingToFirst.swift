public import Bluejay

extension Bluejay {
    /// Connects to the first peripheral that matches a filter: a scan and a connection in one call.
    ///
    /// If a matching peripheral is already connected or connecting, the call succeeds with that peripheral.
    ///
    /// Joins the queue and ends a scan in it. If the task is cancelled, the search or the attempt is
    /// cancelled before the call throws.
    ///
    /// - Parameters:
    ///   - filter: The peripherals to connect to.
    ///   - limit: For the search and the connection together, from their turn in the queue; `.none` tries
    ///     until it is cancelled.
    /// - Returns: The peripheral, with the name that is known now.
    /// - Throws: `BluejayError.noPeripheralFound` if no peripheral is found in time, otherwise the errors of
    ///   the form with a completion, or `CancellationError`.
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
