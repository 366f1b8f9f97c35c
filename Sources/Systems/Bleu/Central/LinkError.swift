internal import BluejayBlueZ
internal import BluejayDBus

/// The reason why a link was not established or has ended.
enum LinkError: Error, Hashable, CustomStringConvertible {
    case notFound
    case unauthorized
    case other(String)

    static let disconnected = LinkError.other("disconnected by this program")
    static let unavailable = LinkError.other("Bluetooth became unavailable")

    static func pairing(_ reason: String) -> LinkError { .other("pairing failed: \(reason)") }

    init(_ failure: LinkFailure, wasKnown: Bool) {
        switch failure {
        case .timedOut where wasKnown:
            self = .other("the peripheral did not accept the connection in time")
        case .timedOut: self = .notFound
        case .cancelled: self = .disconnected
        case .unavailable: self = .unavailable
        case .pairing(let text): self = .pairing(text)
        case .bluez(.accessDenied): self = .unauthorized
        case .bluez(let failure): self = .other(failure.reason)
        case .failed(let text): self = .other(text)
        }
    }

    init(_ reason: LinkDownReason) {
        switch reason {
        case .requested: self = .disconnected
        case .lost(let reason): self = .other(reason ?? "the link was lost")
        case .unavailable: self = .unavailable
        }
    }

    var description: String {
        switch self {
        case .notFound: "the peripheral was not found"
        case .unauthorized: "the bus does not allow the use of bluetoothd"
        case .other(let reason): reason
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
