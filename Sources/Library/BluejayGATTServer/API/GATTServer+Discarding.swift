/// Calls without a completion, for functions that are not asynchronous; the log has their errors.
///
/// In an `async` function, Swift chooses the forms that are awaited. At the top level of an asynchronous
/// `main.swift` it cannot, and refuses these forms: call them in a function there.
extension GATTServer {
    /// Publishes a service; an error is logged.
    @available(*, noasync, message: "call it in a function, where Swift chooses the awaited form")
    public func add(_ service: LocalService) {
        add(service, completion: instance.log.failureLog())
    }

    /// Removes a service; an error is logged.
    @available(*, noasync, message: "call it in a function, where Swift chooses the awaited form")
    public func remove(_ service: LocalService) {
        remove(service, completion: instance.log.failureLog())
    }

    /// Starts an additional advertisement; an error is logged.
    @available(*, noasync, message: "call it in a function, where Swift chooses the awaited form")
    @discardableResult
    public func advertise(_ advertisement: LocalAdvertisement) -> ActiveAdvertisement {
        advertise(advertisement, completion: instance.log.failureLog())
    }

    /// Starts advertising; an error is logged.
    @available(*, noasync, message: "call it in a function, where Swift chooses the awaited form")
    public func startAdvertising(_ advertisement: LocalAdvertisement) {
        startAdvertising(advertisement, completion: instance.log.failureLog())
    }

    /// Stops the advertisement of ``startAdvertising(_:completion:)``.
    @available(*, noasync, message: "call it in a function, where Swift chooses the awaited form")
    public func stopAdvertising() {
        stopAdvertising {}
    }

    /// Removes all advertisements and services.
    @available(*, noasync, message: "call it in a function, where Swift chooses the awaited form")
    public func stop() {
        stop {}
    }
}

extension ActiveAdvertisement {
    /// Replaces the content of the advertisement; an error is logged.
    @available(*, noasync, message: "call it in a function, where Swift chooses the awaited form")
    public func update(to advertisement: LocalAdvertisement) {
        update(to: advertisement, completion: log.failureLog())
    }

    /// Stops the advertisement; connected centrals stay connected.
    @available(*, noasync, message: "call it in a function, where Swift chooses the awaited form")
    public func stop() {
        stop {}
    }
}
