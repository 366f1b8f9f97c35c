internal import BluejayBlueZ
internal import BluejayCore

/// What hears of a scan, with what has to be kept for it.
protocol ScanReporter: AnyObject {
    /// How many peripherals are to be remembered that do not expire; nil is all.
    var capacity: Int? { get }

    /// A report is told.
    func tell(_ report: DiscoveredDevice) -> ScanAction

    /// A report is not told.
    func note(_ report: DiscoveredDevice)

    /// A peripheral has been silent for too long.
    func lose(_ address: DeviceAddress) -> ScanAction

    /// A peripheral is not wanted any more.
    func forget(_ address: DeviceAddress)

    /// The scan is over.
    func end(_ error: (any Error)?)
}

/// Callbacks that get the list of all that were found.
final class ListScanReporter: ScanReporter {
    typealias Answer = (ScanDiscovery, [ScanDiscovery]) -> ScanAction

    let capacity: Int? = nil
    private let discovery: Answer
    private let expired: Answer?
    private let stopped: ([ScanDiscovery], (any Error)?) -> Void
    private var list = ScanList<DeviceAddress, DiscoveredDevice, ScanDiscovery> {
        ScanDiscovery($0)
    }

    init(
        discovery: @escaping Answer,
        expired: Answer?,
        stopped: @escaping ([ScanDiscovery], (any Error)?) -> Void
    ) {
        self.discovery = discovery
        self.expired = expired
        self.stopped = stopped
    }

    func tell(_ report: DiscoveredDevice) -> ScanAction {
        let found = list.put(report.address, report)
        return discovery(found, list.all())
    }

    func note(_ report: DiscoveredDevice) {
        list.set(report.address, report)
    }

    func lose(_ address: DeviceAddress) -> ScanAction {
        guard let lost = list.remove(address), let expired else { return .continue }
        return expired(lost, list.all())
    }

    func forget(_ address: DeviceAddress) {
        list.remove(address)
    }

    func end(_ error: (any Error)?) {
        stopped(list.all(), error)
    }
}

/// Callbacks that get no list, for scans without an end.
final class PlainScanReporter: ScanReporter {
    typealias Answer = (ScanDiscovery) -> ScanAction

    let capacity: Int? = 10_000
    private let discovery: Answer
    private let expired: Answer?
    private let stopped: ((any Error)?) -> Void
    /// What `expired` is told of, as long as it may be.
    private var latest: [DeviceAddress: DiscoveredDevice] = [:]

    /// How many peripherals are remembered.
    var count: Int { latest.count }

    /// - Parameters:
    ///   - discovery: Called for what is told.
    ///   - expired: Called for what has been silent; nil in a scan in which nothing expires.
    ///   - stopped: Called at the end.
    init(
        discovery: @escaping Answer,
        expired: Answer?,
        stopped: @escaping ((any Error)?) -> Void
    ) {
        self.discovery = discovery
        self.expired = expired
        self.stopped = stopped
    }

    func tell(_ report: DiscoveredDevice) -> ScanAction {
        note(report)
        return discovery(ScanDiscovery(report))
    }

    func note(_ report: DiscoveredDevice) {
        if expired != nil { latest[report.address] = report }
    }

    func lose(_ address: DeviceAddress) -> ScanAction {
        guard let expired, let lost = latest.removeValue(forKey: address) else { return .continue }
        return expired(ScanDiscovery(lost))
    }

    func forget(_ address: DeviceAddress) {
        latest[address] = nil
    }

    func end(_ error: (any Error)?) {
        stopped(error)
    }
}
