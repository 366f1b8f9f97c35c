internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib

/// The callbacks of a scan, with the reports they need.
protocol ScanReporter: AnyObject {
    /// The number of peripherals to remember if they do not expire, or `nil` for all.
    var capacity: Int? { get }

    /// The actions that an actor returns after the report.
    var actions: ScanActions { get }

    /// Reports a peripheral to the user, and returns the next action, or `.continue` if an actor returns it
    /// later.
    func report(_ report: DiscoveredDevice) -> ScanAction

    /// Records a report that the user does not receive.
    func update(_ report: DiscoveredDevice)

    /// Reports a peripheral that has been silent for too long.
    func expire(_ address: DeviceAddress) -> ScanAction

    /// Forgets a peripheral that the user blacklisted.
    func discard(_ address: DeviceAddress)

    func finish(_ error: (any Error)?)
}

/// Callbacks that receive the list of all discoveries.
final class ListScanReporter: ScanReporter {
    typealias Handler = (ScanDiscovery, [ScanDiscovery]) -> ScanAction

    let capacity: Int? = nil
    let actions: ScanActions
    private let discovery: Handler
    private let expired: Handler?
    private let stopped: ([ScanDiscovery], (any Error)?) -> Void
    private var list = ScanList<DeviceAddress, DiscoveredDevice, ScanDiscovery> {
        ScanDiscovery($0)
    }

    init(
        on context: MainContext,
        discovery: @escaping @isolated(any) (ScanDiscovery, [ScanDiscovery]) -> ScanAction,
        expired: (@isolated(any) (ScanDiscovery, [ScanDiscovery]) -> ScanAction)?,
        stopped: @escaping @isolated(any) ([ScanDiscovery], (any Error)?) -> Void
    ) {
        actions = ScanActions(on: context)
        self.discovery = actions.handler(discovery)
        self.expired = expired.map(actions.handler)
        self.stopped = context.callback(stopped)
    }

    func report(_ report: DiscoveredDevice) -> ScanAction {
        let found = list.update(report.address, report)
        return discovery(found, list.all())
    }

    func update(_ report: DiscoveredDevice) {
        list.set(report.address, report)
    }

    func expire(_ address: DeviceAddress) -> ScanAction {
        guard let lost = list.remove(address), let expired else { return .continue }
        return expired(lost, list.all())
    }

    func discard(_ address: DeviceAddress) {
        list.remove(address)
    }

    func finish(_ error: (any Error)?) {
        stopped(list.all(), error)
    }
}

/// Callbacks without a list, for scans of unlimited duration.
final class PlainScanReporter: ScanReporter {
    typealias Handler = (ScanDiscovery) -> ScanAction

    let capacity: Int? = 10_000
    let actions: ScanActions
    private let discovery: Handler
    private let expired: Handler?
    private let stopped: ((any Error)?) -> Void
    /// The last report of each peripheral that may expire.
    private var latest: [DeviceAddress: DiscoveredDevice] = [:]

    var count: Int { latest.count }

    init(
        on context: MainContext,
        discovery: @escaping @isolated(any) (ScanDiscovery) -> ScanAction,
        expired: (@isolated(any) (ScanDiscovery) -> ScanAction)?,
        stopped: @escaping @isolated(any) ((any Error)?) -> Void
    ) {
        actions = ScanActions(on: context)
        self.discovery = actions.handler(discovery)
        self.expired = expired.map(actions.handler)
        self.stopped = context.callback(stopped)
    }

    func report(_ report: DiscoveredDevice) -> ScanAction {
        update(report)
        return discovery(ScanDiscovery(report))
    }

    func update(_ report: DiscoveredDevice) {
        if expired != nil { latest[report.address] = report }
    }

    func expire(_ address: DeviceAddress) -> ScanAction {
        guard let expired, let lost = latest.removeValue(forKey: address) else { return .continue }
        return expired(ScanDiscovery(lost))
    }

    func discard(_ address: DeviceAddress) {
        latest[address] = nil
    }

    func finish(_ error: (any Error)?) {
        stopped(error)
    }
}
