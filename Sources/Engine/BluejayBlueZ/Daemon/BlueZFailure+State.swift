package import BluejayCore

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
