internal import BluejayBlueZ
internal import BluejayGLib

/// The progress of a connection attempt.
enum AttemptEvent {
    /// A search for a peripheral has started.
    case searchStarted
    case searchEnded
    case started(PeripheralIdentifier, isForUser: Bool)
    /// The filter has found the peripheral of the attempt.
    case found(by: ScanFilter)
    /// The attempt failed for a reason that is more specific than its error.
    case failed(BluejayError)
    /// The attempt ended without a connection.
    case ended(isForUser: Bool)
    case connected(LinkLease, PeripheralIdentifier)
}

/// The objects that all connection attempts of one instance use.
struct AttemptContext {
    let clock: any EventClock
    let log: Log
    let timeouts: CallTimeouts
    let adapters: AdapterController
    let report: (AttemptEvent) -> Void

    func duration(_ timeout: Timeout) -> Duration? { timeouts.duration(timeout, for: .connect) }

    /// The limit of an attempt that must end at `deadline`; without one, `timeout`.
    func timeout(until deadline: Duration?, otherwise timeout: Timeout) -> Timeout {
        guard let deadline else { return timeout }
        // At least 1 ms, because zero means no limit.
        return .seconds(max(deadline - clock.now, .milliseconds(1)) / .seconds(1))
    }
}
