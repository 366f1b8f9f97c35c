internal import BluejayBlueZ
internal import BluejayDBus

extension BluejayError {
    /// What an error of bluetoothd means to the user.
    ///
    /// - Parameters:
    ///   - failure: The error.
    ///   - doing: What was being done, for example "read of 2A37".
    ///   - state: The present state of Bluetooth.
    init(_ failure: BlueZFailure, doing: String, state: BluetoothState) {
        switch failure {
        case .adapterOff, .daemonGone: self = .bluetoothUnavailable(state)
        case .notConnected, .linkLost, .gone: self = .notConnected
        case .attribute(let code, let text):
            self = .attribute(ATTError(code: code), message: "\(doing): \(text)")
        case .notPaired: self = .notPaired
        case .pairing(let text): self = .pairingFailed(text)
        case .notSupported(let text): self = .notSupported("\(doing): \(text)")
        case .timedOut: self = .operationTimedOut(doing)
        case .cancelled: self = .cancelled
        case .tooMuch:
            self = .daemon(name: "bluejay.TooMuch", message: "\(doing): too many calls are waiting")
        case .accessDenied(let text): self = .bluetoothUnavailable(.unauthorized(text))
        case .inProgress:
            self = .daemon(name: "org.bluez.Error.InProgress", message: "\(doing): in progress")
        case .already:
            self = .daemon(name: "org.bluez.Error.AlreadyExists", message: "\(doing): already so")
        case .other(let error):
            self = .daemon(name: error.name, message: "\(doing): \(error.message)")
        }
    }
}
