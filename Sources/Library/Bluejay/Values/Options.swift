internal import BluejayCore

/// The next step after a value in a background task.
public enum ListenAction: Hashable, Swift.Sendable {
    /// Wait for the next value.
    case keepListening
    /// End the listen and continue with the task.
    case done
}

/// The effect of a later listen on the same characteristic.
public enum MultipleListenOption: Int, Hashable, Swift.Sendable {
    /// The later listen fails with ``BluejayError/multipleListenTrapped``; this one continues.
    case trap
    /// The later listen takes over; this one ends with ``BluejayError/multipleListenReplaced``.
    case replaceable
}

/// The transport from BlueZ for the values of a listen.
public enum ListenTransport: Hashable, Swift.Sendable {
    /// One signal on the bus for each value, in parallel with listens of other programs.
    ///
    /// No value is lost, however long the main loop takes.
    ///
    /// bluetoothd signals a value once for each program that listens to the characteristic this way, and
    /// every program receives all signals: with two programs, each receives every value twice. Another loop
    /// of the same program counts as another program. The library delivers all signals, because a peripheral
    /// may send equal values in a row.
    case signals

    /// A socket, at a fraction of the cost; for high rates.
    ///
    /// Each value arrives once, because other programs cannot listen to the characteristic meanwhile. Values
    /// sent before the peripheral confirms the subscription are lost. If the main loop is busy while 170 to
    /// 280 values wait, later values are lost. If BlueZ refuses the socket, for example because another
    /// program listens already, the values arrive by signals. Listeners of one loop to one characteristic
    /// share the transport of the first.
    case socket
}

/// The decision of a ``DisconnectHandler`` about reconnection.
public enum AutoReconnectMode: Hashable, Swift.Sendable {
    /// Bluejay does what it announced.
    case noChange
    /// Bluejay reconnects, or does not, from now until the next connection.
    case change(shouldAutoReconnect: Bool)
}

/// Whether the peripheral confirms a write.
public enum WriteType: Int, Hashable, Swift.Sendable {
    /// The peripheral confirms the write; a rejection is an error.
    case withResponse
    /// The peripheral does not confirm the write.
    case withoutResponse
}

/// The name ``WriteType`` has in CoreBluetooth.
public typealias CBCharacteristicWriteType = WriteType

extension WriteType {
    /// Returns the length of the longest value over a link with an MTU, if known.
    func longestValue(mtu: Int?) -> Int {
        self == .withoutResponse
            ? min(ATTLimits.maximumValueLength, ATTLimits.payload(mtu: mtu))
            : ATTLimits.maximumValueLength
    }
}

/// The alerts iOS shows for an app that is not running.
///
/// Linux has no such alerts; the values exist so that code written for iOS compiles unchanged.
public struct WarningOptions: Hashable, Swift.Sendable {
    /// Whether a connection is announced.
    public let notifyOnConnection: Bool

    /// Whether a disconnection is announced.
    public let notifyOnDisconnection: Bool

    /// Whether a received value is announced.
    public let notifyOnNotification: Bool

    /// Creates a set of options.
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
