extension Bluejay {
    /// Connects to a peripheral; it counts as connected when its services are known.
    ///
    /// Joins the queue and ends a scan. The identifier may come from a scan, or from an earlier run of
    /// the program: it holds the address. A peripheral that bluetoothd does not know any more is looked
    /// for first. Three quick failures in a row end the attempt; a silent peripheral is tried again
    /// until the time is over.
    ///
    /// - Parameters:
    ///   - peripheralIdentifier: What to connect to.
    ///   - timeout: From the attempt's turn in the queue; `.none` tries until it is cancelled.
    ///   - warningOptions: Accepted for source compatibility; Linux has no such alerts.
    ///   - completion: Called once. Fails with ``BluejayError/connectionTimedOut``,
    ///     ``BluejayError/unexpectedDisconnect`` (refused, or lost meanwhile),
    ///     ``BluejayError/multipleConnectNotSupported``,
    ///     ``BluejayError/unexpectedPeripheral(_:)`` (an identifier that is not of this library),
    ///     ``BluejayError/bluetoothUnavailable(_:)``, or what cancelled it.
    /// - Note: `org.bluez.Device1.Connect`, then `ServicesResolved`.
    public func connect(
        _ peripheralIdentifier: PeripheralIdentifier,
        timeout: Timeout = .none,
        warningOptions: WarningOptions? = nil,
        completion: @escaping (ConnectionResult) -> Void
    ) {
        checkLoop()
        if let refusal = runner.refusalBeforeStart { return completion(.failure(refusal)) }
        runner.enqueue(
            ConnectOperation(peripheralIdentifier, timeout: timeout, completion: completion)
        )
    }

    /// Disconnects.
    ///
    /// A queued disconnect waits for everything before it; calls made behind it fail with
    /// ``BluejayError/disconnectQueued``, but for `connect` and `scan`, which wait for it. BlueZ takes
    /// two seconds for it.
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
        checkLoop()
        let operation = DisconnectOperation(runner.target, completion: completion)
        guard immediate else {
            runner.enqueue(operation)
            return
        }
        let id = runner.add(operation)
        runner.handle(runner.queue.disconnectImmediately(id))
    }
}
