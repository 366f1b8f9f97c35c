internal import BluejayDBus

/// The reason why a registration failed or ended.
package enum RegistrationFailure: Error, Equatable {
    /// The registration was withdrawn before it succeeded.
    case withdrawn
    case unavailable
    /// bluetoothd did not reply to the named call.
    case timedOut(String)
    /// The bus policy refused the call; with its message.
    case accessDenied(String)
    /// The adapter has no room for another advertisement.
    case tooManyAdvertisements
    /// The advertisement data is too long.
    case tooLong
    /// The controller refused the advertisement.
    case rejectedByController
    /// bluetoothd, the adapter or its power disappeared during the call.
    case lost(name: String, message: String)
    /// Another refusal with its error name and message.
    case failed(name: String, message: String)

    /// Whether bluetoothd may accept the same registration later.
    var mayPass: Bool {
        switch self {
        case .timedOut, .lost: true
        case .failed(let name, _): name == "org.bluez.Error.InProgress"
        case .withdrawn, .unavailable, .accessDenied, .tooManyAdvertisements, .tooLong,
            .rejectedByController:
            false
        }
    }

    /// Converts an error reply to the method `member`.
    init(_ error: BusError, from member: String) {
        let prefix = "org.bluez.Error."
        switch (error.name, error.message) {
        case (prefix + "NotPermitted", "Maximum advertisements reached"):
            self = .tooManyAdvertisements
        case (prefix + "InvalidLength", _): self = .tooLong
        case (prefix + "Failed", "Failed to register advertisement"): self = .rejectedByController
        default:
            switch BlueZFailure(error) {
            case .daemonLost, .adapterOff, .objectRemoved:
                self = .lost(name: error.name, message: error.message)
            case .accessDenied(let text): self = .accessDenied(text)
            case .timedOut: self = .timedOut(member)
            default: self = .failed(name: error.name, message: error.message)
            }
        }
    }
}
