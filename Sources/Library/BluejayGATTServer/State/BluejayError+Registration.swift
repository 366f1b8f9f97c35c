internal import BluejayBlueZ
internal import BluejayCore

extension BluejayError {
    /// Creates the error that the user receives, given the last reported state of Bluetooth.
    init(_ failure: RegistrationFailure, _ state: BluetoothState) {
        switch failure {
        case .withdrawn: self = .cancelled
        case .unavailable: self = .bluetoothUnavailable(state.asReason(orElse: .poweredOff))
        case .timedOut: self = .bluetoothUnavailable(.serviceNotResponding)
        case .accessDenied(let text): self = .bluetoothUnavailable(.unauthorized(text))
        case .tooManyAdvertisements: self = .tooManyAdvertisements
        case .tooLong: self = .invalidAdvertisement("BlueZ rejected it as too long")
        case .rejectedByController:
            self = .invalidAdvertisement(
                "the adapter rejected it; a discoverable advertisement needs 3 more bytes"
            )
        case .lost where state != .poweredOn: self = .bluetoothUnavailable(state)
        case .lost(let name, let message), .failed(let name, let message):
            self = .daemon(name: name, message: message)
        }
    }
}
