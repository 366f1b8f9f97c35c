package import BluejayCore
package import BluejayDBus

/// An error of bluetoothd or the bus, by its meaning.
///
/// The names and texts are those of BlueZ 5.55 to 5.87; the tests list them in a table.
package indirect enum BlueZFailure: Error, Equatable {
    case adapterOff
    case notConnected
    /// The link went down during the operation.
    case linkLost
    /// Another operation is in progress on the same object.
    case inProgress
    /// The requested state already exists.
    case alreadyDone
    case attribute(UInt8, BusError)
    /// ATT error 0x05, 0x0C or 0x0F, which bluetoothd does not distinguish.
    case notPaired(BusError)
    /// Pairing failed, or one side lost its keys.
    case pairing(BusError)
    /// The object does not support the request.
    case notSupported(String)
    case objectRemoved
    /// bluetoothd or the bus was lost.
    case daemonLost
    case accessDenied(String)
    /// The caller cancelled the operation or was released.
    case cancelled
    case queueFull
    case timedOut
    /// bluetoothd did not reply to a call that involves no peripheral.
    case daemonNotResponding
    case other(BusError)

    package init(_ error: BusError) {
        let prefix = "org.bluez.Error."
        if error.name.hasPrefix(prefix) {
            self = Self.bluez(String(error.name.dropFirst(prefix.count)), error)
        } else {
            self = Self.bus(error)
        }
    }

    /// Translates the error of a call that bluetoothd handles itself, such as `StartDiscovery`.
    ///
    /// Such an error has no ATT code, and a missing reply means that bluetoothd hangs.
    package init(local error: BusError) {
        switch BlueZFailure(error) {
        case .timedOut: self = .daemonNotResponding
        case .attribute, .notPaired: self = .other(error)
        case let failure: self = failure
        }
    }

    /// The error's name and text from bluetoothd or the bus; nil for a failure that neither reported.
    package var errorText: String? {
        switch self {
        case .attribute(_, let error), .notPaired(let error), .pairing(let error),
            .other(let error):
            error.description
        case .notSupported(let text), .accessDenied(let text): text
        case .adapterOff, .notConnected, .linkLost, .inProgress, .alreadyDone, .objectRemoved,
            .daemonLost,
            .cancelled, .queueFull, .timedOut, .daemonNotResponding:
            nil
        }
    }

    /// A request needs a pairing that this program has rejected; bluetoothd does not reply to it.
    static let pairingRejected = BlueZFailure.notPaired(
        BusError(name: "bluejay.PairingRejected", message: "this program rejected the pairing")
    )

    package var isPairingFailure: Bool {
        if case .pairing = self { true } else { false }
    }

    /// Whether a pairing was cancelled, or an agent request received no reply in time.
    package var isPairingCancelled: Bool {
        guard case .pairing(let error) = self else { return false }
        return error.name == "org.bluez.Error.AuthenticationCanceled"
    }

    private static func bluez(_ kind: String, _ error: BusError) -> BlueZFailure {
        switch kind {
        case "NotReady": return .adapterOff
        case "NotConnected": return .notConnected
        case "InProgress": return .inProgress
        case "AlreadyConnected", "AlreadyExists": return .alreadyDone
        case "NotSupported": return .attribute(0x06, error)
        case "NotAuthorized": return .attribute(0x08, error)
        case "NotPermitted": return notPermitted(error)
        case "AuthenticationFailed", "AuthenticationCanceled", "AuthenticationRejected",
            "AuthenticationTimeout", "BrConnectionKeyMissing", "LeConnectionKeyMissing":
            return .pairing(error)
        case "InvalidArguments": return invalidArguments(error)
        case "Failed": return failed(error)
        default: return .other(error)
        }
    }

    private static func notPermitted(_ error: BusError) -> BlueZFailure {
        switch error.message {
        case "Not paired": .notPaired(error)
        case "Read not permitted": .attribute(0x02, error)
        case "Write not permitted": .attribute(0x03, error)
        default: .other(error)
        }
    }

    /// Whether a program holds, or has just released, an acquired socket of the characteristic.
    var isAcquired: Bool {
        guard case .other(let error) = self else { return false }
        return error.name == "org.bluez.Error.NotPermitted" && error.message.hasSuffix("acquired")
    }

    private static func invalidArguments(_ error: BusError) -> BlueZFailure {
        switch error.message {
        case "Invalid offset": .attribute(0x07, error)
        case "Invalid Length": .attribute(0x0D, error)
        default: .other(error)
        }
    }

    private static func failed(_ error: BusError) -> BlueZFailure {
        if let code = attributeCode(in: error.message) { return .attribute(code, error) }
        // Texts of `Connect`; BlueZ before 5.62 uses those of the C library.
        for (suffix, failure) in suffixes(error) where error.message.hasSuffix(suffix) {
            return failure
        }
        switch error.message {
        case "Not connected", "Not Connected", "No ATT transport": return .notConnected
        case "Operation already in progress": return .inProgress
        case "Transport endpoint is already connected", "Socket is connected": return .alreadyDone
        case "Invalid exchange": return .pairing(error)
        case "No route to host", "Host is unreachable": return .adapterOff
        // The characteristic was removed during the call.
        case "Bad address": return .objectRemoved
        default: return .other(error)
        }
    }

    private static func suffixes(_ error: BusError) -> [(String, BlueZFailure)] {
        [
            ("-connection-key-missing", .pairing(error)),
            ("-connection-adapter-not-powered", .adapterOff),
            ("-connection-already-connected", .alreadyDone),
        ]
    }

    /// The code in "Operation failed with ATT error: 0x81"; no other function parses this text.
    static func attributeCode(in text: String) -> UInt8? {
        guard let marker = text.firstRange(of: "ATT error: 0x") else { return nil }
        let digits = text[marker.upperBound...].utf8.prefix(2)
        // `UInt8` would accept a sign.
        guard digits.allSatisfy({ Hexadecimal.value($0) != nil }) else { return nil }
        return UInt8(Substring(digits), radix: 16)
    }

    private static func bus(_ error: BusError) -> BlueZFailure {
        let prefix = "org.freedesktop.DBus.Error."
        guard error.name.hasPrefix(prefix) else { return .other(error) }
        switch error.name.dropFirst(prefix.count) {
        case "UnknownObject", "UnknownMethod", "UnknownInterface": return .objectRemoved
        case "Disconnected", "ServiceUnknown", "NameHasNoOwner": return .daemonLost
        case "NoReply":
            // The bus sends this error when bluetoothd dies; the connection's own time limit has another
            // text.
            return error == .noReply ? .timedOut : .daemonLost
        case "Timeout", "TimedOut": return .timedOut
        case "AccessDenied": return .accessDenied(error.message)
        default: return .other(error)
        }
    }
}

extension BlueZFailure {
    /// The reason in words, including the text that bluetoothd or the bus reported.
    package var reason: String {
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
        case .cancelled: "it was cancelled"
        case .queueFull: "too many operations wait"
        case .timedOut: "the peripheral did not answer in time"
        case .daemonNotResponding: "bluetoothd does not respond"
        case .other(let error): "\(error.name): \(error.message)"
        }
    }
}

extension BlueZFailure {
    /// The Bluetooth state that explains the failure; nil for a failure with another cause.
    ///
    /// A call may fail before the signal that changes `state` arrives.
    package func unavailability(_ state: BluetoothState) -> BluetoothState? {
        switch self {
        case .adapterOff: state.asReason(orElse: .poweredOff)
        case .daemonLost: state.asReason(orElse: .serviceNotRunning)
        case .daemonNotResponding: .serviceNotResponding
        case .accessDenied(let text): .unauthorized(text)
        default: nil
        }
    }
}

extension BlueZFailure {
    /// Whether bluetoothd may accept the same call to an adapter later.
    package var isRefusalForNow: Bool {
        switch self {
        case .adapterOff, .inProgress, .daemonNotResponding: true
        case .other(let error): error.isRefusalForNow
        default: false
        }
    }
}

extension BusError {
    /// Whether bluetoothd refused a call to an adapter that it may accept later.
    ///
    /// bluetoothd does so for about 2 s after Bluetooth was switched on.
    var isRefusalForNow: Bool {
        switch name {
        case "org.bluez.Error.NotReady", "org.bluez.Error.Failed", "org.bluez.Error.InProgress":
            BlueZFailure.attributeCode(in: message) == nil
        default: false
        }
    }
}
