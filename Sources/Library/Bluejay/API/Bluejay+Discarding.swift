/// Calls without a completion, for functions that are not asynchronous; the log has their errors.
///
/// In an `async` function that imports BluejayAsync, Swift chooses the forms that are awaited. At the top level
/// of an asynchronous `main.swift` it cannot, and refuses these forms: call them in a function there.
extension Bluejay {
    /// Disconnects, or stops reconnecting; an error is logged.
    ///
    /// - Parameter immediate: As for ``disconnect(immediate:completion:)``.
    @available(
        *,
        noasync,
        message:
            "import BluejayAsync and await it, inside a function: try await bluejay.disconnect()"
    )
    public func disconnect(immediate: Bool = false) {
        disconnect(immediate: immediate) { [instance] result in
            guard case .failure(let error) = result else { return }
            instance.logDiscarded(error, of: "disconnect")
        }
    }

    /// Ends a listen; an error is logged.
    ///
    /// - Parameters:
    ///   - characteristicIdentifier: A characteristic of the connected peripheral.
    ///   - timeout: As for `read`.
    @available(
        *,
        noasync,
        message:
            "import BluejayAsync and await it, inside a function: try await bluejay.endListen(to:)"
    )
    public func endListen(
        to characteristicIdentifier: CharacteristicIdentifier,
        timeout: Timeout = .standard
    ) {
        endListen(to: characteristicIdentifier, timeout: timeout) { [instance] result in
            guard case .failure(let error) = result else { return }
            instance.logDiscarded(error, of: "endListen")
        }
    }

    /// Removes a peripheral and its keys from bluetoothd; an error is logged.
    @available(
        *,
        noasync,
        message: "import BluejayAsync and await it, inside a function: try await bluejay.forget(_:)"
    )
    public func forget(_ peripheral: PeripheralIdentifier) {
        forget(peripheral, completion: logging("forget"))
    }

    /// Cancels the pairing in progress; an error is logged.
    @available(
        *,
        noasync,
        message:
            "import BluejayAsync and await it, inside a function: try await bluejay.cancelPairing()"
    )
    public func cancelPairing() {
        cancelPairing(completion: logging("cancelPairing"))
    }

    /// Switches an adapter on or off, for all programs; an error is logged.
    ///
    /// - Parameters:
    ///   - isOn: Whether to switch the adapter on.
    ///   - adapter: A name (`hci1`) or an address. If `nil`, the adapter in use.
    @available(
        *,
        noasync,
        message:
            "import BluejayAsync and await it, inside a function: try await bluejay.setPowered(_:of:)"
    )
    public func setPowered(_ isOn: Bool, of adapter: String? = nil) {
        setPowered(isOn, of: adapter, completion: logging("setPowered"))
    }

    /// Sets an adapter's name, for all programs; an error is logged.
    ///
    /// - Parameters:
    ///   - alias: As for ``setAdapterAlias(_:of:completion:)``.
    ///   - adapter: A name (`hci1`) or an address. If `nil`, the adapter in use.
    @available(
        *,
        noasync,
        message:
            "import BluejayAsync and await it, inside a function: try await bluejay.setAdapterAlias(_:of:)"
    )
    public func setAdapterAlias(_ alias: String, of adapter: String? = nil) {
        setAdapterAlias(alias, of: adapter, completion: logging("setAdapterAlias"))
    }

    /// Selects the adapter for later calls; an error is logged.
    ///
    /// - Parameter adapter: As for ``useAdapter(_:completion:)``.
    @available(
        *,
        noasync,
        message:
            "import BluejayAsync and await it, inside a function: try await bluejay.useAdapter(_:)"
    )
    public func useAdapter(_ adapter: String?) {
        useAdapter(adapter, completion: logging("useAdapter"))
    }

    private func logging<Value>(_ call: String) -> (Result<Value, BluejayError>) -> Void {
        { [instance] result in
            guard case .failure(let error) = result else { return }
            instance.logDiscarded(error, of: call)
        }
    }
}

extension Instance {
    fileprivate func logDiscarded(_ error: any Error, of call: String) {
        log.queue.warning("call failed", ["call": "\(call)", "error": "\(error)"])
    }
}
