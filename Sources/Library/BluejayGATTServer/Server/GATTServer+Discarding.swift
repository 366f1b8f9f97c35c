/// Calls without a completion, for functions that are not asynchronous; the log has their errors.
///
/// In an `async` function, Swift chooses the forms that are awaited. At the top level of an asynchronous
/// `main.swift` it cannot, and refuses these forms: call them in a function there.
extension GATTServer {
    /// Publishes a service; an error is logged.
    @available(*, noasync, message: "await it, inside a function: try await server.add(service)")
    public func add(_ service: LocalService) {
        add(service, completion: logging("add"))
    }

    /// Removes a service; an error is logged.
    @available(*, noasync, message: "await it, inside a function: try await server.remove(service)")
    public func remove(_ service: LocalService) {
        remove(service, completion: logging("remove"))
    }

    /// Starts an additional advertisement; an error is logged.
    @available(
        *,
        noasync,
        message: "await it, inside a function: try await server.advertise(advertisement)"
    )
    @discardableResult
    public func advertise(_ advertisement: LocalAdvertisement) -> ActiveAdvertisement {
        advertise(advertisement, completion: logging("advertise"))
    }

    /// Starts advertising; an error is logged.
    @available(
        *,
        noasync,
        message: "await it, inside a function: try await server.startAdvertising(advertisement)"
    )
    public func startAdvertising(_ advertisement: LocalAdvertisement) {
        startAdvertising(advertisement, completion: logging("startAdvertising"))
    }

    /// Stops the advertisement of ``startAdvertising(_:completion:)``.
    @available(*, noasync, message: "await it, inside a function: await server.stopAdvertising()")
    public func stopAdvertising() {
        stopAdvertising {}
    }

    /// Removes all advertisements and services.
    @available(*, noasync, message: "await it, inside a function: await server.stop()")
    public func stop() {
        stop {}
    }

    private func logging(_ call: String) -> @Sendable (Result<Void, any Error>) -> Void {
        runner.failureLog(of: call)
    }
}

extension ActiveAdvertisement {
    /// Replaces the content of the advertisement; ``advertisement`` stays as it was after an error.
    @available(
        *,
        noasync,
        message: "await it, inside a function: try await active.update(to: advertisement)"
    )
    public func update(to advertisement: LocalAdvertisement) {
        update(to: advertisement) { _ in }
    }

    /// Stops the advertisement; connected centrals stay connected.
    @available(*, noasync, message: "await it, inside a function: await active.stop()")
    public func stop() {
        stop {}
    }
}
