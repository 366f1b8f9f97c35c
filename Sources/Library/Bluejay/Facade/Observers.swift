/// Is told when Bluetooth becomes available or not, and about the connection.
///
/// All calls come on the main loop, in the order of registration. Every one is optional.
///
/// A class of the main actor conforms with its isolation, here and to the other observers:
///
/// ```swift
/// extension Model: @MainActor ConnectionObserver {
///     func connected(to peripheral: PeripheralIdentifier) { title = peripheral.name }
/// }
/// ```
public protocol ConnectionObserver: AnyObject {
    /// Bluetooth became available or unavailable; may repeat the same value.
    ///
    /// Also called once at registration, when Bluejay has started.
    func bluetoothAvailable(_ available: Bool)

    /// A peripheral is connected and its services are known.
    ///
    /// Also called once at registration, when a peripheral is connected.
    func connected(to peripheral: PeripheralIdentifier)

    /// The peripheral is no longer connected, whatever the reason.
    func disconnected(from peripheral: PeripheralIdentifier)

    /// The peripheral is no longer connected, or was not connected to, and why.
    ///
    /// Without it ``disconnected(from:)`` is called instead.
    ///
    /// - Parameters:
    ///   - peripheral: What was connected, or being connected to.
    ///   - reason: What a ``DisconnectHandler`` is told: nil after a disconnect that was asked for.
    func disconnected(from peripheral: PeripheralIdentifier, reason: BluejayError?)

    /// A connection that was lost is about to be made again; every attempt is told before its pause.
    ///
    /// - Parameters:
    ///   - peripheral: What will be connected to.
    ///   - attempt: 1 for the first, and so on until a connection is there.
    ///   - pause: How long it will wait first; nil is until Bluetooth can be used.
    func willReconnect(to peripheral: PeripheralIdentifier, attempt: Int, after pause: Duration?)
}

extension ConnectionObserver {
    /// Does nothing.
    public func bluetoothAvailable(_ available: Bool) {}

    /// Does nothing.
    public func connected(to peripheral: PeripheralIdentifier) {}

    /// Does nothing.
    public func disconnected(from peripheral: PeripheralIdentifier) {}

    /// Calls ``ConnectionObserver/disconnected(from:)``.
    public func disconnected(from peripheral: PeripheralIdentifier, reason: BluejayError?) {
        disconnected(from: peripheral)
    }

    /// Does nothing.
    public func willReconnect(
        to peripheral: PeripheralIdentifier,
        attempt: Int,
        after pause: Duration?
    ) {}
}

/// Decides at the end of a disconnection whether Bluejay reconnects.
///
/// It is asked on the main loop, also when a first connection has failed.
public protocol DisconnectHandler: AnyObject {
    /// The peripheral is disconnected and all observers were told.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral that was connected.
    ///   - error: Nil after a disconnect that was asked for; else ``BluejayError/linkLost(_:)``,
    ///     ``BluejayError/bluetoothUnavailable(_:)``, or why the attempt failed, with what BlueZ knows:
    ///     ``BluejayError/connectionFailed(_:)`` or ``BluejayError/peripheralNotFound(_:)``.
    ///   - autoReconnect: Whether Bluejay is about to reconnect.
    /// - Returns: ``AutoReconnectMode/noChange``, or another decision.
    func didDisconnect(
        from peripheral: PeripheralIdentifier,
        with error: (any Error)?,
        willReconnect autoReconnect: Bool
    ) -> AutoReconnectMode
}

/// Is told when the connected peripheral adds or removes services, on the main loop.
public protocol ServiceObserver: AnyObject {
    /// The services of the connected peripheral changed.
    ///
    /// - Parameters:
    ///   - peripheral: The connected peripheral.
    ///   - invalidatedServices: The services that are gone; empty when services were added.
    func didModifyServices(
        from peripheral: PeripheralIdentifier,
        invalidatedServices: [ServiceIdentifier]
    )
}

/// Receives what Bluejay logs, as text.
///
/// All lines go to swift-log, too, with their details as metadata; nothing has to be registered for
/// that, and `BLUEJAY_LOG=debug` in the environment shows them without a line of code.
public protocol LogObserver: AnyObject {
    /// Receives one line of the level debug or above, whatever swift-log shows.
    ///
    /// It comes on the main loop, and ends with the details:
    /// `connection: connected peripheral="Heart Rate (C4:7C:8D:6A:1F:02)" instance=5F0C1E2B`. Values of
    /// attributes are never in it, and what comes from the air is escaped. Lines that are of no single
    /// instance (bluetoothd, discovery, links) go, once and in a later turn, to each observer of the
    /// instances on the loop that have started on the same bus.
    func debug(_ text: String)
}
