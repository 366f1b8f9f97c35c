/// An observer of Bluetooth's availability and of the connection.
///
/// All methods are optional. They are called in the order of registration: on the main loop, or on the actor
/// that registered the observer.
///
/// A class of the main actor conforms with its isolation, to this and the other observer protocols:
///
/// ```swift
/// extension Model: @MainActor ConnectionObserver {
///     func connected(to peripheral: PeripheralIdentifier) { title = peripheral.name }
/// }
/// ```
public protocol ConnectionObserver: AnyObject {
    /// Reports that Bluetooth became available or unavailable; may repeat the same value.
    ///
    /// Also called once at registration, if Bluejay has started.
    func bluetoothAvailable(_ available: Bool)

    /// Reports that a peripheral is connected and its services are known.
    ///
    /// Also called once at registration, if a peripheral is connected.
    func connected(to peripheral: PeripheralIdentifier)

    /// Reports that the peripheral is no longer connected, for any reason.
    func disconnected(from peripheral: PeripheralIdentifier)

    /// Reports that a connection ended or could not be established, with the reason.
    ///
    /// By default, the method calls ``disconnected(from:)``.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral of the connection or of the attempt.
    ///   - reason: The error that a ``DisconnectHandler`` receives; `nil` after a requested disconnect.
    func disconnected(from peripheral: PeripheralIdentifier, reason: BluejayError?)

    /// Reports a reconnection attempt, ahead of its delay.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral to connect to.
    ///   - attempt: The number of the attempt, from 1 until a connection is established.
    ///   - pause: The delay before the attempt; `nil` means until Bluetooth is available.
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

/// A handler that decides after a disconnection whether Bluejay reconnects.
///
/// The method is called on the main loop or on the actor that registered the handler, even if a first
/// connection has failed. The decision of an actor takes effect when it has returned.
public protocol DisconnectHandler: AnyObject {
    /// Decides about reconnection, after all observers were notified of the disconnection.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral that was connected.
    ///   - error: `nil` after a requested disconnect. Otherwise ``BluejayError/linkLost(_:)``,
    ///     ``BluejayError/bluetoothUnavailable(_:)``, or the reason for a failed attempt, with BlueZ's
    ///     details: ``BluejayError/connectionFailed(_:)`` or ``BluejayError/peripheralNotFound(_:)``.
    ///   - autoReconnect: Whether Bluejay is about to reconnect.
    /// - Returns: ``AutoReconnectMode/noChange``, or another decision.
    func didDisconnect(
        from peripheral: PeripheralIdentifier,
        with error: (any Error)?,
        willReconnect autoReconnect: Bool
    ) -> AutoReconnectMode
}

/// An observer of added and removed services of the connected peripheral, called like ``ConnectionObserver``.
public protocol ServiceObserver: AnyObject {
    /// Reports that the services of the connected peripheral changed.
    ///
    /// - Parameters:
    ///   - peripheral: The connected peripheral.
    ///   - invalidatedServices: The removed services; empty when services were added.
    func didModifyServices(
        from peripheral: PeripheralIdentifier,
        invalidatedServices: [ServiceIdentifier]
    )
}

/// An observer that receives the log as text.
///
/// swift-log receives all lines, too, with their details as metadata. This requires no registration, and
/// `BLUEJAY_LOG=debug` in the environment shows the lines without code.
public protocol LogObserver: AnyObject {
    /// Receives one line of level debug or above, regardless of swift-log's level.
    ///
    /// The method is called like those of ``ConnectionObserver``. A line ends with its details, for example
    /// `connection: connected peripheral="Heart Rate (C4:7C:8D:6A:1F:02)" instance=5F0C1E2B`.
    /// It never contains attribute values, and text from the air is escaped. Lines that belong to no single
    /// instance (bluetoothd, discovery, links) reach each observer once, on a later iteration, if its
    /// instance has started on the same loop and bus. While 4,096 lines wait for the actor of an observer,
    /// further ones are discarded, and one line takes their place.
    func debug(_ text: String)
}

/// An observer that is notified once, on the main loop, when a `Bluejay` is stopped or released.
package protocol ShutdownObserver: AnyObject {
    /// Called when the instance has ended; its observers receive nothing more.
    func didShutDown()
}
