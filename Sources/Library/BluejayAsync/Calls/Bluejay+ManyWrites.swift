public import Bluejay

extension Bluejay {
    /// Waits until a write without response is welcome.
    ///
    /// A loop that awaits each of its writes needs no such wait: each returns when the value is on its
    /// way. It is for those that make many at once, from several tasks for example.
    ///
    /// - Throws: `CancellationError`, and nothing else: when the peripheral is not connected it returns,
    ///   and the next write says so.
    public nonisolated(nonsending) func readyToSendWriteWithoutResponse() async throws {
        try Task.checkCancellation()
        try await awaited { bluejay, completion in
            let takeBack = bluejay.whenReadyToWrite { completion(.success(())) }
            return {
                takeBack()
                completion(.failure(BluejayError.cancelled))
            }
        }
    }

    /// Sets whether writes without response may go through a socket.
    ///
    /// - Parameter isOn: As `usesWriteSockets`.
    public nonisolated(nonsending) func setUsesWriteSockets(_ isOn: Bool) async {
        await onLoop { $0.usesWriteSockets = isOn }
    }
}
