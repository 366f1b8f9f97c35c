/// The reason for the end of a connection, as newer daemons signal it.
public enum SimulatedDisconnectReason: String, CaseIterable, Equatable, Swift.Sendable {
    /// The computer ended the connection.
    case byLocalHost = "local"
    /// The device ended the connection.
    case byRemoteHost = "remote"
    /// The device was out of range for too long.
    case timedOut = "timeout"
    /// A key did not fit.
    case authenticationFailed = "authentication"

    var name: String {
        switch self {
        case .byLocalHost: "org.bluez.Reason.Local"
        case .byRemoteHost: "org.bluez.Reason.Remote"
        case .timedOut: "org.bluez.Reason.Timeout"
        case .authenticationFailed: "org.bluez.Reason.Authentication"
        }
    }

    var text: String {
        switch self {
        case .byLocalHost: "Connection terminated by local host"
        case .byRemoteHost: "Connection terminated by remote user"
        case .timedOut: "Connection timeout"
        case .authenticationFailed: "Connection terminated due to authentication failure"
        }
    }
}
