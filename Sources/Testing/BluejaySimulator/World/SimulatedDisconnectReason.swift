/// The reason for the end of a connection, as newer daemons signal it.
enum SimulatedDisconnectReason {
    case byLocalHost, byRemoteHost, timedOut, authenticationFailed

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
