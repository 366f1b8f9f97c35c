/// What to do after a value was received in a background task.
public enum ListenAction: Hashable, Swift.Sendable {
    /// Wait for the next value.
    case keepListening
    /// End the listen and go on with the task.
    case done
}

/// What a listen allows a later listen on the same characteristic to do.
public enum MultipleListenOption: Int, Hashable, Swift.Sendable {
    /// A later listen fails with ``BluejayError/multipleListenTrapped``; this one goes on.
    case trap
    /// A later listen takes over; this one ends with ``BluejayError/multipleListenReplaced``.
    case replaceable
}

/// By which way the values of a listen come from BlueZ.
public enum ListenPath: Hashable, Swift.Sendable {
    /// Each by a signal on the bus, beside what other programs listen to.
    ///
    /// Nothing is lost, however long the main loop takes.
    ///
    /// bluetoothd signals a value once for each program that listens to the characteristic this way, and
    /// each of them receives all signals: of two programs each receives every value twice. Another loop
    /// of the same program counts as another program. The library delivers them all, because a peripheral
    /// may send equal values in a row.
    case signals

    /// Through a socket, which costs a fraction: for many values a second.
    ///
    /// Each value comes once, because other programs cannot listen to the characteristic meanwhile. What the
    /// peripheral sends before its answer to the subscription is lost, and so is what comes while some 170 to 280 values wait because the main
    /// loop does something else. Where BlueZ gives no socket, because another program listens already for
    /// example, the values come by signals; listeners of one loop to one characteristic share what
    /// the first of them got.
    case socket
}

/// Whether a ``DisconnectHandler`` changes what happens after a disconnection.
public enum AutoReconnectMode: Hashable, Swift.Sendable {
    /// Bluejay goes on as it announced.
    case noChange
    /// Bluejay reconnects, or does not, from now until the next connection.
    case change(shouldAutoReconnect: Bool)
}

/// Whether the peripheral confirms a write.
public enum WriteType: Int, Hashable, Swift.Sendable {
    /// The peripheral answers; a refusal is an error.
    case withResponse
    /// The peripheral does not answer.
    case withoutResponse
}

/// The name ``WriteType`` has in CoreBluetooth.
public typealias CBCharacteristicWriteType = WriteType

/// The alerts iOS shows for an app that is not running.
///
/// Linux has none; the values are kept so that code written for iOS compiles unchanged.
public struct WarningOptions: Hashable, Swift.Sendable {
    /// Whether a connection is announced.
    public let notifyOnConnection: Bool

    /// Whether a disconnection is announced.
    public let notifyOnDisconnection: Bool

    /// Whether a received value is announced.
    public let notifyOnNotification: Bool

    /// Makes a set of options.
    public init(
        notifyOnConnection: Bool,
        notifyOnDisconnection: Bool,
        notifyOnNotification: Bool
    ) {
        self.notifyOnConnection = notifyOnConnection
        self.notifyOnDisconnection = notifyOnDisconnection
        self.notifyOnNotification = notifyOnNotification
    }

    /// No announcements.
    public static let `default` = WarningOptions(
        notifyOnConnection: false,
        notifyOnDisconnection: false,
        notifyOnNotification: false
    )
}
