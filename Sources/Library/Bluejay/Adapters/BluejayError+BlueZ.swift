internal import BluejayBlueZ
internal import BluejayDBus

extension BluejayError {
    /// Converts an error of bluetoothd, with the current state of Bluetooth.
    init(_ failure: BlueZFailure, state: BluetoothState) {
        switch failure {
        case .adapterOff, .daemonLost, .daemonNotResponding, .accessDenied:
            self = .bluetoothUnavailable(failure.unavailability(state) ?? state)
        case .notConnected, .linkLost, .objectRemoved: self = .notConnected
        case .attribute(let code, let error):
            self = .attribute(ATTError(code: code)).withBlueZError(error)
        case .notPaired(let error): self = .notPaired.withBlueZError(error)
        case .pairing(let error):
            self = .pairingFailed(error.description).withBlueZError(error)
        case .notSupported(let text): self = .notSupported(text)
        case .timedOut: self = .operationTimedOut
        case .cancelled: self = .cancelled
        case .queueFull:
            self = .daemon(name: "bluejay.TooMuch", message: "too many calls are waiting")
        case .inProgress:
            self = .daemon(name: "org.bluez.Error.InProgress", message: "Operation in progress")
        case .alreadyDone:
            self = .daemon(name: "org.bluez.Error.AlreadyExists", message: "Already Exists")
        case .other(let error):
            self = .daemon(name: error.name, message: error.message)
        }
    }

    private func withBlueZError(_ error: BusError) -> BluejayError {
        withBlueZError(name: error.name, text: error.message)
    }
}
