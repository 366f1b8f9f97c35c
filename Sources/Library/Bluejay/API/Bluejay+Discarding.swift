internal import BluejayBlueZ

/// Calls without a completion, for functions that are not asynchronous; the log has their errors.
///
/// In an `async` function that imports BluejayAsync, Swift chooses the forms that are awaited. At the top level
/// of an asynchronous `main.swift` it cannot, and refuses these forms: call them in a function there.
extension Bluejay {
    /// Disconnects, or stops reconnecting; an error is logged.
    ///
    /// - Parameter immediate: As for ``disconnect(immediate:completion:)``.
    @available(*, noasync, message: "import BluejayAsync, and await it in a function")
    public func disconnect(immediate: Bool = false) {
        disconnect(immediate: immediate, completion: nil)
    }

    /// Ends a listen; an error is logged.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - timeout: As for `read`.
    @available(*, noasync, message: "import BluejayAsync, and await it in a function")
    public func endListen(
        to characteristicIdentifier: CharacteristicIdentifier,
        timeout: Timeout = .standard
    ) {
        endListen(to: characteristicIdentifier, timeout: timeout, completion: nil)
    }

    /// Removes a peripheral and its keys from bluetoothd; an error is logged.
    @available(*, noasync, message: "import BluejayAsync, and await it in a function")
    public func forget(_ peripheral: PeripheralIdentifier) {
        forget(peripheral, completion: failureLog())
    }

    /// Cancels the pairing in progress; an error is logged.
    @available(*, noasync, message: "import BluejayAsync, and await it in a function")
    public func cancelPairing() {
        cancelPairing(completion: failureLog())
    }

    /// Switches an adapter on or off, for all programs; an error is logged.
    ///
    /// - Parameters:
    ///   - isOn: Whether to switch the adapter on.
    ///   - adapter: A name (`hci1`) or an address. If `nil`, the adapter in use.
    @available(*, noasync, message: "import BluejayAsync, and await it in a function")
    public func setPowered(_ isOn: Bool, of adapter: String? = nil) {
        setPowered(isOn, of: adapter, completion: failureLog())
    }

    /// Sets an adapter's name, for all programs; an error is logged.
    ///
    /// - Parameters:
    ///   - alias: As for ``setAdapterAlias(_:of:completion:)``.
    ///   - adapter: A name (`hci1`) or an address. If `nil`, the adapter in use.
    @available(*, noasync, message: "import BluejayAsync, and await it in a function")
    public func setAdapterAlias(_ alias: String, of adapter: String? = nil) {
        setAdapterAlias(alias, of: adapter, completion: failureLog())
    }

    /// Selects the adapter for later calls; an error is logged.
    ///
    /// - Parameter adapter: As for ``useAdapter(_:completion:)``.
    @available(*, noasync, message: "import BluejayAsync, and await it in a function")
    public func useAdapter(_ adapter: String?) {
        useAdapter(adapter, completion: failureLog())
    }

    /// Returns a completion that logs the error of the call in which it is made.
    func failureLog<Value, Failure: Error>(
        of call: String = #function
    ) -> (Result<Value, Failure>) -> Void {
        instance.log.queue.failureLog(of: call)
    }
}
