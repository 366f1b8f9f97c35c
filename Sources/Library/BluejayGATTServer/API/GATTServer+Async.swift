internal import BluejayCore
internal import BluejayGLib

/// The calls of `GATTServer` as `async` functions.
///
/// Any task may call them. They throw the errors that the completions receive. Cancelling the task does not
/// cancel the call.
extension GATTServer {
    /// Publishes a service, and returns when centrals can discover it.
    ///
    /// - Parameter service: As for ``add(_:completion:)``.
    /// - Throws: The errors of ``add(_:completion:)``.
    public nonisolated(nonsending) func add(_ service: LocalService) async throws {
        try await awaited { $0.add(service, completion: $1) }
    }

    /// Removes a service, and returns when bluetoothd has removed it.
    ///
    /// - Parameter service: As for ``remove(_:completion:)``.
    /// - Throws: The errors of ``remove(_:completion:)``.
    public nonisolated(nonsending) func remove(_ service: LocalService) async throws {
        try await awaited { $0.remove(service, completion: $1) }
    }

    /// Starts an additional advertisement, and returns when bluetoothd has accepted it.
    ///
    /// - Parameter advertisement: As for ``advertise(_:completion:)``.
    /// - Returns: An object that updates and stops the advertisement.
    /// - Throws: The errors of ``advertise(_:completion:)``.
    @discardableResult
    public nonisolated(nonsending) func advertise(
        _ advertisement: LocalAdvertisement
    ) async throws -> ActiveAdvertisement {
        let active = LockedValue<ActiveAdvertisement?>(nil)
        try await awaited { server, completion in
            active.value = server.advertise(advertisement, completion: completion)
        }
        guard let active = active.value else { throw BluejayError.cancelled }
        return active
    }

    /// Starts advertising, and returns when bluetoothd has accepted the advertisement.
    ///
    /// - Parameter advertisement: As for ``startAdvertising(_:completion:)``.
    /// - Throws: The errors of ``startAdvertising(_:completion:)``.
    public nonisolated(nonsending) func startAdvertising(
        _ advertisement: LocalAdvertisement
    ) async throws {
        try await awaited { $0.startAdvertising(advertisement, completion: $1) }
    }

    /// Stops the advertisement of ``startAdvertising(_:completion:)``, and returns when bluetoothd has removed it.
    public nonisolated(nonsending) func stopAdvertising() async {
        try? await awaited { server, completion in
            server.stopAdvertising { completion(.success(())) }
        }
    }

    /// Removes all advertisements and services, and returns when bluetoothd has replied, or is gone.
    public nonisolated(nonsending) func stop() async {
        try? await awaited { server, completion in server.stop { completion(.success(())) } }
    }

    private nonisolated(nonsending) func awaited(
        _ call: (GATTServer, @escaping @Sendable (Result<Void, any Error>) -> Void) -> Void
    ) async throws {
        try await awaitCompletion { call(self, $0) }
    }
}

extension ActiveAdvertisement {
    /// Replaces the content of the advertisement, and returns when bluetoothd has accepted it.
    ///
    /// - Parameter advertisement: As for the form with a completion.
    /// - Throws: The errors of the form with a completion.
    public nonisolated(nonsending) func update(to advertisement: LocalAdvertisement) async throws {
        try await awaitCompletion { update(to: advertisement, completion: $0) }
    }

    /// Stops the advertisement, and returns when bluetoothd has removed it.
    public nonisolated(nonsending) func stop() async {
        try? await awaitCompletion { completion in stop { completion(.success(())) } }
    }
}

/// Awaits the completion of a call; virtual time may pass meanwhile.
private nonisolated(nonsending) func awaitCompletion(
    _ call: (@escaping @Sendable (Result<Void, any Error>) -> Void) -> Void
) async throws {
    let hold = ClockHold.current
    try await withCheckedThrowingContinuation { continuation in
        hold?.pause()
        call {
            hold?.resume()
            continuation.resume(with: $0)
        }
    }
}
