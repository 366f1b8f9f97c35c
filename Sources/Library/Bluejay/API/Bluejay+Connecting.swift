internal import BluejayBlueZ
internal import BluejayGLib

extension Bluejay {
    /// Connects to a peripheral; the connection counts once its services are known.
    ///
    /// Joins the queue and ends a scan. The identifier holds the address; it may come from a scan, from an
    /// earlier run, or from text such as `"C4:7C:8D:6A:1F:02"`. If bluetoothd does not know the peripheral, a search comes first. Three quick failures in
    /// a row end the attempt; a silent peripheral is retried until the time limit. Observers and the
    /// ``DisconnectHandler`` receive a failure before the completion; only the handler can request
    /// reconnection then.
    ///
    /// - Parameters:
    ///   - peripheralIdentifier: The peripheral to connect to.
    ///   - timeout: Counted from its turn in the queue; `.none` retries until the call is cancelled. If the
    ///     attempt times out, the calls queued after it fail with it.
    ///   - warningOptions: Accepted for source compatibility; Linux has no such alerts.
    ///   - completion: Called once. Fails with ``BluejayError/connectionTimedOut``,
    ///     ``BluejayError/unexpectedDisconnect`` (refused, or lost meanwhile),
    ///     ``BluejayError/pairingFailed(_:)``, ``BluejayError/multipleConnectNotSupported`` (even if the
    ///     connection is to the same peripheral), ``BluejayError/unexpectedPeripheral(_:)`` (an identifier
    ///     from another library), ``BluejayError/malformedAddress(_:)`` (a literal),
    ///     ``BluejayError/bluetoothUnavailable(_:)``, or the error that cancelled it.
    /// - Note: `org.bluez.Device1.Connect`, then `ServicesResolved`.
    public func connect(
        _ peripheralIdentifier: PeripheralIdentifier,
        timeout: Timeout = .standard,
        warningOptions: WarningOptions? = nil,
        completion: @escaping @isolated(any) (ConnectionResult) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        let subject = ErrorSubject(.connect, peripheral: peripheralIdentifier)
        call(for: subject, onRejection: { completion(.failure($0)) }) { instance in
            instance.connection.connect(
                to: peripheralIdentifier,
                timeout: timeout,
                completion: completion
            )
        }
    }

    /// Disconnects, or ends the reconnection to a lost peripheral.
    ///
    /// A queued disconnect waits for all earlier calls. Later calls fail with
    /// ``BluejayError/disconnectQueued``. The exceptions are `connect` and `scan`, which wait for the
    /// disconnect, and calls after such a `connect`, which wait for the connection. BlueZ takes two seconds
    /// to disconnect.
    ///
    /// - Parameters:
    ///   - immediate: Whether all calls in the queue first fail with ``BluejayError/explicitDisconnect``;
    ///     this also ends a connection attempt.
    ///   - completion: Called once, after the observers. Fails with ``BluejayError/notConnected`` or
    ///     ``BluejayError/multipleDisconnectNotSupported``. With `nil` an error is logged.
    /// - Note: `org.bluez.Device1.Disconnect`.
    public func disconnect(
        immediate: Bool = false,
        completion: (@isolated(any) (DisconnectionResult) -> Void)?
    ) {
        let failureLog: (Result<PeripheralIdentifier, any Error>) -> Void = failureLog()
        let completion =
            completion.map { mainLoop.context.callback($0) } ?? { failureLog($0.result) }
        let subject = ErrorSubject(.disconnect)
        call(for: subject, onRejection: { completion(.failure($0)) }) { instance in
            instance.connection.disconnect(isImmediate: immediate, completion: completion)
        }
    }

    /// Fails all calls in the queue, and disconnects unless `shouldDisconnect` is false.
    ///
    /// Also ends connection attempts and reconnection, even after a loss that a background task keeps from
    /// being reported. Allowed at any time, even during and inside a background task, whose calls it fails.
    ///
    /// - Parameters:
    ///   - error: The error for each pending call.
    ///   - shouldDisconnect: Whether to disconnect, too. If false, listens continue.
    @available(*, noasync, message: "import BluejayAsync, and await it in a function")
    public func cancelEverything(
        error: any Error = BluejayError.cancelled,
        shouldDisconnect: Bool = true
    ) {
        mainLoop.callOrPost { [instance] in
            guard instance.adapters.hasStarted else {
                return instance.log.queue.debug("cancelEverything ignored: not started")
            }
            instance.log.queue.debug("all operations cancelled", ["error": "\(error)"])
            instance.cancelEverything(error, shouldDisconnect: shouldDisconnect)
        }
    }

    /// Stops, and hands over the connection to another library or instance.
    ///
    /// Pending calls fail with ``BluejayError/stopped``. Connection observers and the disconnect handler are
    /// removed; other observers stay. The link stays open in bluetoothd, with its notifications off.
    /// `start(mode:)` may be called again afterwards. A connection attempt ends, and no peripheral is
    /// handed over.
    ///
    /// A thread other than the loop's waits for the loop. If the loop does not respond within 3 s, because it
    /// waits for that thread or is not running, everything is stopped when the loop runs again.
    ///
    /// - Returns: The bus and the adapter, and the connected peripheral; all are empty if the loop does not
    ///   respond.
    @discardableResult
    public func stopAndExtractBluetoothState() -> (
        manager: CBCentralManager, peripheral: CBPeripheral?
    ) {
        let stop = { [instance] in
            let manager = instance.manager
            return (manager, instance.adapters.hasStarted ? instance.detach() : nil)
        }
        if let state = mainLoop.result(of: stop) { return state }
        mainLoop.relay { _ = stop() }
        return (CentralManager(), nil)
    }

    /// Reads the signal strength of the connected peripheral.
    ///
    /// BlueZ measures advertisements only: a value exists while the peripheral advertises and a scan runs.
    ///
    /// - Parameter completion: Called once, on a later iteration of the main loop, with the strength in dBm.
    ///   Fails with ``BluejayError/notConnected``, ``BluejayError/backgroundTaskRunning``, or with
    ///   ``BluejayError/notSupported(_:)`` if BlueZ has no value.
    public func readRSSI(completion: @escaping @isolated(any) (ReadResult<Int>) -> Void) {
        let completion = mainLoop.context.callback(completion)
        guard !mainLoop.isElsewhere || !TaskThread.isCurrent else {
            let rejection = BluejayError.backgroundTaskRunning.during(.readRSSI)
            return mainLoop.relay { completion(.failure(rejection)) }
        }
        mainLoop.callOrPost { [instance, mainLoop] in
            let result: ReadResult<Int>
            do {
                guard !instance.gate.isRunningTask else {
                    throw BluejayError.backgroundTaskRunning.during(.readRSSI)
                }
                result = .success(try instance.link.rssi())
            } catch {
                result = .failure(error)
            }
            mainLoop.relay { completion(result) }
        }
    }
}
