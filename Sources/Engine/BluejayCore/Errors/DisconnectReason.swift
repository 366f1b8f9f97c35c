/// Why a connection ended by itself, as far as bluetoothd says it.
///
/// BlueZ tells reasons since version 5.83 (the signal `Disconnected` of `org.bluez.Device1`); before that
/// every reason is ``unknown``.
public enum DisconnectReason: Hashable, Swift.Sendable {
    /// No reason is known.
    case unknown
    /// The peripheral was not heard any more.
    case timeout
    /// Another program on this computer disconnected.
    case local
    /// The peripheral disconnected.
    case remote
    /// The link could not be encrypted.
    case authentication
    /// The computer went to sleep.
    case suspend

    /// The meaning of a name such as `org.bluez.Reason.Timeout`.
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
        case .unknown: "for a reason that BlueZ does not tell"
        case .timeout: "because the peripheral was not heard any more"
        case .local: "because another program disconnected"
        case .remote: "because the peripheral disconnected"
        case .authentication: "because it could not be encrypted"
        case .suspend: "because the computer went to sleep"
        }
    }
}
