internal import BluejayBlueZ
internal import BluejayDBus

/// The reason why a link was not established or has ended.
enum LinkError: Error, Hashable, CustomStringConvertible {
    case notFound
    case timedOut
    case lost(String)
    case unavailable
    case unauthorized
    case pairing(String)
    case disconnected
    case failed(String)

    init(_ failure: LinkFailure, wasKnown: Bool) {
        switch failure {
        case .timedOut: self = wasKnown ? .timedOut : .notFound
        case .cancelled: self = .disconnected
        case .unavailable: self = .unavailable
        case .pairing(let text): self = .pairing(text)
        case .bluez(.accessDenied): self = .unauthorized
        case .bluez(let failure): self = .failed(failure.reason)
        case .failed(let text): self = .failed(text)
        }
    }

    init(_ reason: LinkDownReason) {
        switch reason {
        case .requested: self = .lost("disconnected by this program")
        case .lost(let reason): self = .lost(reason ?? "the link was lost")
        case .unavailable: self = .unavailable
        }
    }

    var description: String {
        switch self {
        case .notFound: "the peripheral was not found"
        case .timedOut: "the peripheral did not accept the connection in time"
        case .lost(let reason): reason
        case .unavailable: "Bluetooth became unavailable"
        case .unauthorized: "the bus does not allow the use of bluetoothd"
        case .pairing(let text): "pairing failed: \(text)"
        case .disconnected: "disconnected by this program"
        case .failed(let text): text
        }
    }
}

extension PairingFailure {
    var reason: String {
        switch self {
        case .rejected: "it was rejected"
        case .timedOut: "it took too long"
        case .cancelled: "it was cancelled"
        case .bluez(.pairing(let error)): error.message
        case .bluez(let failure): failure.reason
        }
    }
}

extension BlueZFailure {
    /// The reason, for the text of ``BleuError/connectionFailed(_:)``.
    var reason: String {
        switch self {
        case .adapterOff: "the adapter is off"
        case .notConnected: "the peripheral is not connected"
        case .linkLost: "the link was lost"
        case .inProgress: "another operation is in progress"
        case .alreadyDone: "bluetoothd has done this already"
        case .attribute(let code, let error):
            "the peripheral refused with ATT error \(code) (\(error.message))"
        case .notPaired: "the peripheral requires pairing"
        case .pairing(let error): "pairing failed (\(error.message))"
        case .notSupported(let text): "not supported (\(text))"
        case .objectRemoved: "the service or the device was removed"
        case .daemonLost: "bluetoothd has ended"
        case .accessDenied(let text): "access denied (\(text))"
        case .cancelled: "cancelled"
        case .queueFull: "too many operations wait"
        case .timedOut: "the peripheral did not answer in time"
        case .daemonNotResponding: "bluetoothd does not respond"
        case .other(let error): "\(error.name): \(error.message)"
        }
    }
}
