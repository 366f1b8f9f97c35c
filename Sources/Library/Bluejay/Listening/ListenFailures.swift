extension Error {
    /// Whether bluetoothd refused a call that it may accept later, as it does while Bluetooth returns.
    var isTemporaryRefusal: Bool {
        guard let error = self as? BluejayError else { return false }
        switch error.code {
        case .bluetoothUnavailable, .notConnected: return true
        case .daemon:
            let names = ["NotReady", "Failed", "InProgress"].map { "org.bluez.Error." + $0 }
            return error.blueZName.map { names.contains($0) } ?? false
        default: return false
        }
    }

    var isMissingCharacteristic: Bool {
        let code = (self as? BluejayError)?.code
        return code == .missingCharacteristic || code == .missingService
    }
}
