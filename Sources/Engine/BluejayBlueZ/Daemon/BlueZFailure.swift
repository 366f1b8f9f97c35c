package import BluejayDBus

/// What an error of bluetoothd or of the bus means.
///
/// The names and texts are those of BlueZ 5.55 to 5.87; the tests hold them as a table.
package enum BlueZFailure: Error, Equatable {
    /// The adapter is off.
    case adapterOff
    /// There is no link to the device.
    case notConnected
    /// The link went down during the operation.
    case linkLost
    /// Something else is under way on the same object.
    case inProgress
    /// It is already so.
    case already
    /// The peer answered with an ATT error code.
    case attribute(UInt8, BusError)
    /// ATT 0x05, 0x0C or 0x0F, which bluetoothd does not tell apart.
    case notPaired(BusError)
    /// Pairing was tried and failed, or the keys of one side have gone.
    case pairing(BusError)
    /// The object lacks what was asked for.
    case notSupported(String)
    /// The object is not there any more.
    case gone
    /// bluetoothd or the bus is not there.
    case daemonGone
    /// The bus's policy refuses.
    case accessDenied(String)
    /// Its user waits for it no more, or has gone.
    case cancelled
    /// One user has too many calls waiting.
    case tooMuch
    /// No answer in time.
    case timedOut
    /// bluetoothd left a call unanswered that needs no peripheral and takes it a moment.
    case silent
    /// Another error, name and text kept.
    case other(BusError)

    package init(_ error: BusError) {
        let prefix = "org.bluez.Error."
        if error.name.hasPrefix(prefix) {
            self = Self.bluez(String(error.name.dropFirst(prefix.count)), error)
        } else {
            self = Self.bus(error)
        }
    }

    /// What an error means of a call that bluetoothd answers by itself, such as `StartDiscovery`.
    ///
    /// - Parameter error: It has no ATT code, and no answer in time means that bluetoothd stands still.
    package init(local error: BusError) {
        switch BlueZFailure(error) {
        case .timedOut: self = .silent
        case .attribute, .notPaired: self = .other(error)
        case let failure: self = failure
        }
    }

    /// What bluetoothd or the bus has said, name and text; nil where it is no error of theirs.
    package var answer: String? {
        switch self {
        case .attribute(_, let error), .notPaired(let error), .pairing(let error),
            .other(let error):
            error.description
        case .notSupported(let text), .accessDenied(let text): text
        case .adapterOff, .notConnected, .linkLost, .inProgress, .already, .gone, .daemonGone,
            .cancelled, .tooMuch, .timedOut, .silent:
            nil
        }
    }

    /// Whether pairing was tried and failed.
    package var isOfPairing: Bool {
        if case .pairing = self { true } else { false }
    }

    /// Whether a pairing was taken back, or a question of it was not answered in time.
    package var isPairingCancelled: Bool {
        guard case .pairing(let error) = self else { return false }
        return error.name == "org.bluez.Error.AuthenticationCanceled"
    }

    private static func bluez(_ kind: String, _ error: BusError) -> BlueZFailure {
        switch kind {
        case "NotReady": return .adapterOff
        case "NotConnected": return .notConnected
        case "InProgress": return .inProgress
        case "AlreadyConnected", "AlreadyExists": return .already
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

    /// Whether somebody has a socket of the characteristic, or had one a moment ago.
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
        // Texts of `Connect`; before 5.62 those of the C library.
        for (suffix, failure) in suffixes(error) where error.message.hasSuffix(suffix) {
            return failure
        }
        switch error.message {
        case "Not connected", "Not Connected", "No ATT transport": return .notConnected
        case "Operation already in progress": return .inProgress
        case "Transport endpoint is already connected", "Socket is connected": return .already
        case "Invalid exchange": return .pairing(error)
        case "No route to host", "Host is unreachable": return .adapterOff
        // The characteristic vanished under the call.
        case "Bad address": return .gone
        default: return .other(error)
        }
    }

    private static func suffixes(_ error: BusError) -> [(String, BlueZFailure)] {
        [
            ("-connection-key-missing", .pairing(error)),
            ("-connection-adapter-not-powered", .adapterOff),
            ("-connection-already-connected", .already),
        ]
    }

    /// The code in "Operation failed with ATT error: 0x81"; this is the only place that reads it.
    static func attributeCode(in text: String) -> UInt8? {
        guard let marker = text.firstRange(of: "ATT error: 0x") else { return nil }
        return UInt8(text[marker.upperBound...].prefix(2), radix: 16)
    }

    private static func bus(_ error: BusError) -> BlueZFailure {
        let prefix = "org.freedesktop.DBus.Error."
        guard error.name.hasPrefix(prefix) else { return .other(error) }
        switch error.name.dropFirst(prefix.count) {
        case "UnknownObject", "UnknownMethod", "UnknownInterface": return .gone
        case "Disconnected", "ServiceUnknown", "NameHasNoOwner": return .daemonGone
        case "NoReply":
            // The bus says so when the daemon died; our own time limit has another text.
            return error == .noReply ? .timedOut : .daemonGone
        case "Timeout", "TimedOut": return .timedOut
        case "AccessDenied": return .accessDenied(error.message)
        default: return .other(error)
        }
    }
}
