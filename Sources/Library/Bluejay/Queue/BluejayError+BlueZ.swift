internal import BluejayBlueZ
internal import BluejayDBus

extension BluejayError {
    /// Converts an error of bluetoothd, with the current state of Bluetooth.
    init(_ failure: BlueZFailure, state: BluetoothState) {
        switch failure {
        case .adapterOff, .daemonLost, .daemonNotResponding, .accessDenied:
            self = .bluetoothUnavailable(failure.unavailability(state) ?? state)
        case .notConnected, .linkLost, .objectRemoved: self = .notConnected
        case .attribute(let code, let answer):
            self = .attribute(ATTError(code: code)).withBlueZError(answer)
        case .notPaired(let answer): self = .notPaired.withBlueZError(answer)
        case .pairing(let answer):
            self = .pairingFailed(answer.description).withBlueZError(answer)
        case .notSupported(let text): self = .notSupported(text)
        case .timedOut: self = .operationTimedOut
        case .cancelled: self = .cancelled
        case .queueFull:
            self = .daemon(name: "bluejay.TooMuch", message: "too many calls are waiting")
        case .inProgress:
            self = .daemon(name: "org.bluez.Error.InProgress", message: "Operation in progress")
        case .alreadyDone:
            self = .daemon(name: "org.bluez.Error.AlreadyExists", message: "Already Exists")
        case .other(let answer):
            self = .daemon(name: answer.name, message: answer.message)
        }
    }

    private func withBlueZError(_ answer: BusError) -> BluejayError {
        withBlueZError(name: answer.name, text: answer.message)
    }
}
