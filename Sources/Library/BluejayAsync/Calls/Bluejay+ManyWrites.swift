public import Bluejay

extension Bluejay {
    /// Waits until bluetoothd accepts further writes without response.
    ///
    /// Use it to pace concurrent writes, for example from several tasks. A loop that awaits each of its
    /// writes does not need it, because each write returns when the value is on its way.
    ///
    /// - Throws: `CancellationError` only. Without a connection, the call returns, and the next write fails.
    public nonisolated(nonsending) func readyToSendWriteWithoutResponse() async throws {
        try Task.checkCancellation()
        try await awaited { bluejay, completion in
            let cancelWait = bluejay.whenReadyToWrite { completion(.success(())) }
            return {
                cancelWait()
                completion(.failure(BluejayError.cancelled))
            }
        }
    }

    /// Sets whether writes without response may use a socket.
    ///
    /// - Parameter isOn: As `usesWriteSockets`.
    public nonisolated(nonsending) func setUsesWriteSockets(_ isOn: Bool) async {
        await onLoop { $0.usesWriteSockets = isOn }
    }
}
