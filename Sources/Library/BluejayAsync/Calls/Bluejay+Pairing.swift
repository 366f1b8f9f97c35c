public import Bluejay
internal import BluejayGLib

/// Pairing, from any task.
extension Bluejay {
    /// Pairs with the connected peripheral.
    ///
    /// Joins the queue. A task that is cancelled has bluetoothd give the pairing up.
    ///
    /// - Parameter timeout: From the call's turn in the queue; none is 60 s.
    /// - Throws: What the completion of the call with the same name fails with, or `CancellationError`.
    public nonisolated(nonsending) func pair(timeout: Timeout = .seconds(60)) async throws {
        try await awaitedOperation { bluejay, completion in
            bluejay.pair(timeout: timeout) { completion($0.result) }
        }
    }

    /// Takes back the pairing that is under way, and refuses what is being asked.
    ///
    /// - Throws: What the completion of the call with the same name fails with, or `CancellationError`.
    public nonisolated(nonsending) func cancelPairing() async throws {
        try await awaitedAdapterCall { $0.cancelPairing(completion: $1) }
    }

    /// Sets who is asked while the peripheral pairs.
    ///
    /// ```swift
    /// await bluejay.setPairingHandler { request, _ in
    ///     guard case .passkey = request else { return .refuse }
    ///     return await .passkey(numberThatIsTyped())
    /// }
    /// ```
    ///
    /// Each request is handled in a task of its own, which is cancelled when nobody waits for the answer any
    /// more: after 25 s, with the link, or when bluetoothd gives up. What it returns to a request that shows
    /// something is ignored, unless it refuses; its task is cancelled when that is to be shown no longer.
    ///
    /// - Parameter handler: Nil ends it, and refuses what is being asked.
    public nonisolated(nonsending) func setPairingHandler(
        _ handler: (@Sendable (PairingRequest, PeripheralIdentifier) async -> PairingDecision)?
    ) async {
        await onLoop { bluejay in
            guard let handler else { return bluejay.setPairingHandler(nil) }
            bluejay.setPairingHandler { request, peripheral, answer in
                // A virtual time stands still while the handler works.
                let hold = ClockHold(on: bluejay.mainLoop.context)
                hold?.begin()
                let task = Task {
                    answer.give(
                        await ClockHold.during(hold) { await handler(request, peripheral) }
                    )
                    hold?.end()
                }
                // The task holds the answer, and the answer the task until it is over.
                answer.onEnd = { task.cancel() }
            }
        }
    }
}
