internal import BluejayBlueZ
internal import BluejayDBus

/// An operation that establishes a connection.
protocol ConnectionAttempt: QueuedOperation {
    /// The peripheral it connects to, as far as known.
    var attemptTarget: AttemptTarget { get }
}

/// The peripheral that an operation connects to.
enum AttemptTarget {
    /// A known peripheral, with the filter that found it.
    case peripheral(PeripheralIdentifier, ScanFilter?)
    /// The first peripheral that matches.
    case search(ScanFilter)
    /// A connection established by another library.
    case unknown
}

/// The peripheral that a caller wants to be connected to.
enum RequestedPeripheral {
    case peripheral(PeripheralIdentifier)
    case first(ScanFilter)

    var subject: ErrorSubject {
        switch self {
        case .peripheral(let identifier): ErrorSubject(.connect, peripheral: identifier)
        case .first: ErrorSubject(.connect)
        }
    }
}
