package import BluejayCore

extension BlueZFailure {
    /// The Bluetooth state that explains the failure.
    ///
    /// - Parameter state: The current state of Bluetooth. A call may fail before the signal that changes
    ///   the state arrives.
    /// - Returns: The state, or nil for a failure with another cause.
    package func unavailability(_ state: BluetoothState) -> BluetoothState? {
        switch self {
        case .adapterOff: state.asReason(orElse: .poweredOff)
        case .daemonGone: state.asReason(orElse: .serviceNotRunning)
        case .silent: .serviceNotResponding
        case .accessDenied(let text): .unauthorized(text)
        default: nil
        }
    }
}
