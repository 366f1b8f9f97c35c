internal import BluejayDBus

/// How far the way to bluetoothd leads, for whoever has to say what is in the way.
package enum BlueZReach: Equatable, Swift.Sendable {
    /// The bus cannot be reached; with the text of the failure.
    case noBus(String)
    /// The bus has been reached and has not answered yet.
    case silentBus
    /// The bus does not take this user; with its text.
    case refusingBus(String)
    /// Nobody on the bus is bluetoothd, as far as the bus has answered.
    case noDaemon
    /// bluetoothd is on the bus and has not told its objects.
    case silentDaemon
    /// The bus does not let this user speak to bluetoothd; with its text.
    case refusingDaemon(String)
    /// bluetoothd has answered.
    case daemon
}

extension BlueZClient {
    /// How far the way to bluetoothd leads now; what has not answered yet counts as silent.
    package var reach: BlueZReach {
        switch state {
        case .running: .daemon
        case .busUnavailable(let text): .noBus(text)
        case .accessDenied(let text):
            connection == nil ? .refusingBus(text) : .refusingDaemon(text)
        case .serviceNotRunning: owner == nil ? .noDaemon : .silentDaemon
        case .serviceNotResponding: .silentDaemon
        case .connecting:
            if owner != nil {
                .silentDaemon
            } else {
                connection?.uniqueName == nil ? .silentBus : .noDaemon
            }
        }
    }
}
