internal import BluejayBlueZ
internal import BluejayDBus
internal import BluejayTables

/// An operation that makes a connection.
protocol LinkMaker: QueuedOperation {
    /// The peripheral it connects to, as far as it is known.
    var aim: ConnectAim { get }
}

/// The peripheral that an operation connects to.
enum ConnectAim {
    /// A known peripheral, with the filter by which it was found.
    case peripheral(PeripheralIdentifier, ScanFilter?)
    /// The first peripheral that matches.
    case search(ScanFilter)
    /// A connection that another library made.
    case unknown
}

/// The peripheral that a caller wants to be connected to.
enum WantedPeripheral {
    case peripheral(PeripheralIdentifier)
    case first(ScanFilter)

    var subject: ErrorSubject {
        switch self {
        case .peripheral(let identifier): ErrorSubject(.connect, peripheral: identifier)
        case .first: ErrorSubject(.connect)
        }
    }
}
