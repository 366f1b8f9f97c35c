public import Bluejay
internal import BluejayGLib

/// Pairing, from any task.
extension Bluejay {
    /// Pairs with the connected peripheral.
    ///
    /// Joins the queue. If the task is cancelled, bluetoothd cancels the pairing.
    ///
    /// - Parameter timeout: From the call's turn in the queue; `.none` is 60 s as well.
    /// - Throws: The errors of the form with a completion, or `CancellationError`.
    public nonisolated(nonsending) func pair(timeout: Timeout = .seconds(60)) async throws {
        try await awaitedOperation { bluejay, completion in
            bluejay.pair(timeout: timeout) { completion($0.result) }
        }
    }

    /// Cancels the pairing in progress and refuses its pending request.
    ///
    /// - Throws: The errors of the form with a completion, or `CancellationError`.
    public nonisolated(nonsending) func cancelPairing() async throws {
        try await awaitedAdapterCall { $0.cancelPairing(completion: $1) }
    }

    /// Sets the handler that answers pairing requests.
    ///
    /// ```swift
    /// await bluejay.setPairingHandler { request, _ in
    ///     guard case .passkey = request else { return .reject }
    ///     return await .passkey(numberThatIsTyped())
    /// }
    /// ```
    ///
    /// Each request is handled in a separate task, which is cancelled after 25 s, when the link drops, or
    /// when bluetoothd cancels the request. For a request that displays something, a result other than a
    /// refusal is ignored, and the task is cancelled when the display must end.
    ///
    /// - Parameter handler: The handler, or nil to remove it and refuse the pending request.
    public nonisolated(nonsending) func setPairingHandler(
        _ handler: (@Sendable (PairingRequest, PeripheralIdentifier) async -> PairingDecision)?
    ) async {
        await onLoop { bluejay in
            guard let handler else { return bluejay.setPairingHandler(nil) }
            // The instance holds its handler, which therefore must not hold the instance.
            let context = bluejay.mainLoop.context
            bluejay.setPairingHandler { request, peripheral, responder in
                // A virtual clock stands still while the handler works.
                let hold = ClockHold(on: context)
                hold?.startWork()
                let task = Task {
                    responder.respond(
                        with: await ClockHold.during(hold) { await handler(request, peripheral) }
                    )
                    hold?.endWork()
                }
                // The task holds the answer, and the answer holds the task until the request ends.
                responder.onEnd = { task.cancel() }
            }
        }
    }
}
