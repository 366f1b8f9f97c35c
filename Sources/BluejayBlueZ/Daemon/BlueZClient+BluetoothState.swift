package import BluejayCore

extension BlueZClient {
    /// The state of Bluetooth in the user's words.
    ///
    /// - Parameters:
    ///   - choice: The adapter that counts.
    ///   - previous: What was told last: a daemon that comes back is not the same as one not yet known.
    /// - Returns: The present state.
    package func bluetoothState(
        _ choice: AdapterChoice,
        before previous: BluetoothState = .unknown
    ) -> BluetoothState {
        switch state {
        case .connecting: return previous == .unknown ? .unknown : .resetting
        case .busUnavailable(let text): return .busUnavailable(text)
        case .accessDenied(let text): return .unauthorized(text)
        case .serviceNotRunning: return .serviceNotRunning
        case .running: break
        }
        guard let path = objects.adapter(choice) else {
            if case .named(let name) = choice { return .adapterNotFound(name) }
            return .noAdapter
        }
        switch objects.adapterState(path) {
        case .on: return .poweredOn
        case .off: return .poweredOff
        case .blocked: return .blocked
        case .absent: return .noAdapter
        }
    }
}
