package import BluejayCore

extension BlueZFailure {
    /// Why Bluetooth cannot be used, if that is what the failure says.
    ///
    /// - Parameter state: What is known of Bluetooth. The failure of a call may arrive before the
    ///   signal that changes it.
    /// - Returns: Nil for a failure with another cause.
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
