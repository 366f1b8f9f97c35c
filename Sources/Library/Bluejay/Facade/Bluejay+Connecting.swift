internal import BluejayBlueZ
internal import BluejayGLib

extension Bluejay {
    /// Connects to a peripheral; it counts as connected when its services are known.
    ///
    /// Joins the queue and ends a scan. The identifier may come from a scan, or from an earlier run of
    /// the program: it holds the address. A peripheral that bluetoothd does not know any more is looked
    /// for first. Three quick failures in a row end the attempt; a silent peripheral is tried again
    /// until the time is over. The observers and the ``DisconnectHandler`` hear of a failure before the
    /// completion; it starts a reconnection only when the handler says so.
    ///
    /// - Parameters:
    ///   - peripheralIdentifier: What to connect to.
    ///   - timeout: From the attempt's turn in the queue; `.none` tries until it is cancelled. What
    ///     waits behind an attempt that takes too long fails with it.
    ///   - warningOptions: Accepted for source compatibility; Linux has no such alerts.
    ///   - completion: Called once. Fails with ``BluejayError/connectionTimedOut``,
    ///     ``BluejayError/unexpectedDisconnect`` (refused, or lost meanwhile),
    ///     ``BluejayError/pairingFailed(_:)``,
    ///     ``BluejayError/multipleConnectNotSupported`` (also beside a connection to the same peripheral),
    ///     ``BluejayError/unexpectedPeripheral(_:)`` (an identifier that is not of this library),
    ///     ``BluejayError/bluetoothUnavailable(_:)``, or what cancelled it.
    /// - Note: `org.bluez.Device1.Connect`, then `ServicesResolved`.
    public func connect(
        _ peripheralIdentifier: PeripheralIdentifier,
        timeout: Timeout = .standard,
        warningOptions: WarningOptions? = nil,
        completion: @escaping (ConnectionResult) -> Void
    ) {
        let subject = ErrorSubject(.connect, peripheral: peripheralIdentifier)
        call(for: subject, refuse: { completion(.failure($0)) }) { instance in
            instance.connection.connect(
                to: peripheralIdentifier,
                timeout: timeout,
                completion: completion
            )
        }
    }

    /// Disconnects, or ends the attempts to connect to a lost peripheral again.
    ///
    /// A queued disconnect waits for everything before it; calls made behind it fail with
    /// ``BluejayError/disconnectQueued``, but for `connect` and `scan`, which wait for it. Calls behind
    /// such a `connect` wait for the connection. BlueZ takes two seconds for it.
    ///
    /// - Parameters:
    ///   - immediate: Whether everything in the queue fails with
    ///     ``BluejayError/explicitDisconnect`` first; it also ends a connection attempt.
    ///   - completion: Called once, after the observers heard of it. Fails with
    ///     ``BluejayError/notConnected`` or ``BluejayError/multipleDisconnectNotSupported``.
    /// - Note: `org.bluez.Device1.Disconnect`.
    public func disconnect(
        immediate: Bool = false,
        completion: ((DisconnectionResult) -> Void)? = nil
    ) {
        let subject = ErrorSubject(.disconnect)
        call(for: subject, refuse: { completion?(.failure($0)) }) { instance in
            instance.connection.disconnect(isImmediate: immediate, completion: completion)
        }
    }

    /// Fails everything in the queue, and disconnects unless told not to.
    ///
    /// Also a connection attempt is given up, and a lost connection is not made again, also when it was
    /// lost during a background task and its end has not been told yet. Allowed at any time and, unlike
    /// the others, during and inside a background task, whose calls it ends.
    ///
    /// - Parameters:
    ///   - error: What each pending call fails with.
    ///   - shouldDisconnect: Whether to disconnect too. Otherwise listens go on.
    public func cancelEverything(
        error: any Error = BluejayError.cancelled,
        shouldDisconnect: Bool = true
    ) {
        mainLoop.make { [instance] in
            guard instance.adapters.hasStarted else {
                return instance.log.queue.debug("cancelEverything: it has not started")
            }
            instance.log.queue.debug("everything is cancelled", ["error": "\(error)"])
            instance.cancelEverything(error, shouldDisconnect: shouldDisconnect)
        }
    }

    /// Stops, and hands what it has to another library or instance.
    ///
    /// Everything pending fails with ``BluejayError/stopped``. Connection observers and the disconnect
    /// handler are removed; other observers stay. A link stays as bluetoothd has it, with its
    /// notifications off. Afterwards ``start(mode:)`` may be called again. A connection attempt is
    /// given up, and there is no peripheral then.
    ///
    /// Another thread than the loop's waits for the loop. If the loop does not answer within 3 s, as when it
    /// waits for that thread or nobody runs it, everything is stopped when the loop runs again.
    ///
    /// - Returns: Where bluetoothd and the adapter are, and the connected peripheral; neither if the loop does
    ///   not answer.
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
    /// BlueZ knows the strength of advertisements only: there is a value while the peripheral is
    /// advertising and somebody scans.
    ///
    /// - Parameter completion: Called once, in a later turn of the main loop, with the strength in dBm.
    ///   Fails with ``BluejayError/notConnected``, ``BluejayError/backgroundTaskRunning``, or
    ///   ``BluejayError/notSupported(_:)`` where BlueZ does not tell it.
    public func readRSSI(completion: @escaping (ReadResult<Int>) -> Void) {
        guard !mainLoop.isElsewhere || !TaskThread.isCurrent else {
            let refusal = BluejayError.backgroundTaskRunning.during(.readRSSI)
            return mainLoop.relay { completion(.failure(refusal)) }
        }
        mainLoop.make { [instance, mainLoop] in
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
