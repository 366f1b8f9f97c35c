/// The reason why a connection ended unexpectedly, as reported by bluetoothd.
///
/// BlueZ 5.83 and later report reasons (the signal `Disconnected` of `org.bluez.Device1`); before, every
/// reason is ``unknown``.
public enum DisconnectReason: Hashable, Swift.Sendable {
    /// The reason is unknown.
    case unknown
    /// The peripheral stopped responding.
    case timeout
    /// Another program on this computer disconnected.
    case local
    /// The peripheral disconnected.
    case remote
    /// The link could not be encrypted.
    case authentication
    /// The computer was suspended.
    case suspend

    /// Creates a reason from a name such as `org.bluez.Reason.Timeout`.
    package init(bluezName: String?) {
        switch bluezName?.split(separator: ".").last {
        case "Timeout": self = .timeout
        case "Local": self = .local
        case "Remote": self = .remote
        case "Authentication": self = .authentication
        case "Suspend": self = .suspend
        default: self = .unknown
        }
    }
}

extension DisconnectReason: CustomStringConvertible {
    /// The reason as part of a sentence.
    public var description: String {
        switch self {
        case .unknown: "for an unknown reason"
        case .timeout: "because the peripheral stopped responding"
        case .local: "because another program disconnected"
        case .remote: "because the peripheral disconnected"
        case .authentication: "because encryption failed"
        case .suspend: "because the computer went to sleep"
        }
    }
}
