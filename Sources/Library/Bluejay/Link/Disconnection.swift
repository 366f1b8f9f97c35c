internal import BluejayBlueZ

/// The end of a connection or attempt, for the observers and the disconnect handler.
struct Disconnection {
    let endReason: QueueStateMachine.ConnectionEndReason
    let peripheral: PeripheralIdentifier
    let error: BluejayError?
    /// Whether everything was cancelled before the announcement: the instance does not reconnect.
    var preventsReconnecting = false

    /// The call that failed, if there was no connection.
    var call: BluejayError.Call? {
        if case .attempt = endReason { return .connect }
        return nil
    }

    func write(to log: Log) {
        let details: LogDetails = [
            "peripheral": "\(peripheral)", "error": error.map { "\($0)" } ?? "",
        ]
        switch endReason {
        case .requested: log.debug("disconnected as requested", details)
        case .lost, .unavailable: log.debug("disconnected unexpectedly", details)
        case .attempt: log.debug("connection attempt failed", details)
        }
    }
}
