internal import BluejayBlueZ
internal import BluejayDBus

extension BluejayError {
    /// Converts an error of bluetoothd, with the current state of Bluetooth.
    init(_ failure: BlueZFailure, state: BluetoothState) {
        switch failure {
        case .adapterOff, .daemonGone, .silent, .accessDenied:
            self = .bluetoothUnavailable(failure.unavailability(state) ?? state)
        case .notConnected, .linkLost, .gone: self = .notConnected
        case .attribute(let code, let answer):
            self = .attribute(ATTError(code: code)).answered(answer)
        case .notPaired(let answer): self = .notPaired.answered(answer)
        case .pairing(let answer):
            self = .pairingFailed(answer.description).answered(answer)
        case .notSupported(let text): self = .notSupported(text)
        case .timedOut: self = .operationTimedOut
        case .cancelled: self = .cancelled
        case .tooMuch:
            self = .daemon(name: "bluejay.TooMuch", message: "too many calls are waiting")
        case .inProgress:
            self = .daemon(name: "org.bluez.Error.InProgress", message: "Operation in progress")
        case .already:
            self = .daemon(name: "org.bluez.Error.AlreadyExists", message: "Already Exists")
        case .other(let answer):
            self = .daemon(name: answer.name, message: answer.message)
        }
    }

    private func answered(_ answer: BusError) -> BluejayError {
        answered(name: answer.name, text: answer.message)
    }
}
