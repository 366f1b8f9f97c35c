internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

/// A watch for peripherals; it starts with Bluetooth, and again whenever Bluetooth returns.
final class WatchOperation: QueuedOperation {
    let kind = QueueStateMachine.Kind.watch
    let timeout = Timeout.none
    let subject = ErrorSubject(.watch)

    private static let pauses = Backoff(maximumDelay: .seconds(30))

    private let filter: ScanFilter
    private let actions: ScanActions
    private let event: (WatchEvent) -> ScanAction
    private let stopped: ((any Error)?) -> Void
    private var machine: PresenceStateMachine<DeviceAddress>
    /// The last report of each present peripheral.
    private var latest: [DeviceAddress: DiscoveredDevice] = [:]
    private var monitorSession: AdvertisementMonitorSession?
    /// Whether the mode reports the end of connections; a discovery does, monitors do not.
    private var followsConnections = false
    private var expiryTimer: ScheduledTimer?
    private var failureCount = 0
    private var retryTimer: ScheduledTimer?
    private var onEnd: ((BluejayError?) -> Void)?
    private let owners: ScanOwners

    init(
        _ filter: ScanFilter,
        _ owners: ScanOwners,
        lostAfter timeout: Duration,
        actions: ScanActions,
        event: @escaping (WatchEvent) -> ScanAction,
        stopped: @escaping ((any Error)?) -> Void
    ) {
        self.filter = filter
        self.owners = owners
        self.actions = actions
        self.event = event
        self.stopped = stopped
        machine = PresenceStateMachine(timeout: timeout)
    }

    func start(onEnd: @escaping (BluejayError?) -> Void) {
        self.onEnd = onEnd
        actions.onLateAction = { [weak self] in self?.act($0, on: $1?.deviceAddress) }
        failureCount = 0
        startSession()
    }

    private func startSession() {
        let adapters = owners.adapters
        guard let radio = adapters.radio else { return finish(adapters.unavailableError) }
        let receive: (DiscoveredDevice) -> Void = { [weak self] in self?.receive($0) }
        let session = AdvertisementMonitorSession(
            DiscoveryFilter(filter, reportsDuplicates: true),
            monitors: filter.monitors,
            over: radio.adapter,
            sharing: radio.engine.discoverySessions,
            AdvertisementMonitorSession.Handlers(
                mode: { [weak self] in self?.modeChanged($0) },
                report: filter.filtering(receive),
                connectionEnded: { [weak self] in self?.connectionEnded($0) },
                lost: { [weak self] in self?.deviceLost($0) },
                failed: { [weak self] in self?.failed($0) }
            )
        )
        self.monitorSession = session
        session.start()
    }

    /// Ends the watch without an error.
    func stop() {
        finish(nil)
    }

    func abort() {
        onEnd = nil
        release()
    }

    func interrupt() {
        release()
        notifyLost(machine.removeAll())
    }

    func complete(_ error: (any Error)?) {
        onEnd = nil
        release()
        latest = [:]
        _ = machine.removeAll()
        stopped(error)
    }

    private func release() {
        monitorSession?.end()
        monitorSession = nil
        expiryTimer = nil
        retryTimer = nil
    }

    private func finish(_ error: BluejayError?) {
        let onEnd = self.onEnd
        self.onEnd = nil
        release()
        onEnd?(error)
    }

    private func failed(_ failure: BlueZFailure) {
        guard onEnd != nil else { return }
        // If Bluetooth became unavailable, this reports it to all operations and interrupts the watch.
        let error = owners.adapters.error(failure)
        // If Bluetooth is still available, only the discovery has failed.
        guard monitorSession != nil else { return }
        guard failure.isRefusalForNow else { return finish(error) }
        retry()
    }

    /// Starts the session again after a pause; the peripherals present expire meanwhile.
    private func retry() {
        monitorSession?.end()
        monitorSession = nil
        failureCount += 1
        let pause = Self.pauses.delay(afterFailures: failureCount)
        retryTimer = owners.clock.schedule(after: pause) { [weak self] in
            guard let self, onEnd != nil else { return }
            startSession()
        }
    }

    // MARK: Events

    private func modeChanged(_ mode: MonitorStateMachine.Mode) {
        followsConnections = mode == .active
        notify(.started(mode == .passive ? .passive : .active))
    }

    private func receive(_ report: DiscoveredDevice) {
        guard onEnd != nil else { return }
        // The peripheral of this instance does not advertise.
        if report.isConnected, owners.link.peripheral?.deviceAddress == report.address { return }
        failureCount = 0
        let isNew = machine.sighted(
            report.address,
            isConnected: report.isConnected && followsConnections,
            now: owners.clock.now
        )
        guard let isNew else { return }
        let before = latest.updateValue(report, forKey: report.address)
        // Later reports expire later, so a running timer stays.
        if expiryTimer == nil { scheduleExpiry() }
        if isNew {
            notify(.found(ScanDiscovery(report)), of: report.address)
        } else if before?.content != report.content || before?.isConnected != report.isConnected {
            notify(.changed(ScanDiscovery(report)), of: report.address)
        }
    }

    /// Reports a change of a connected peripheral, which is then lost unless it advertises.
    private func connectionEnded(_ report: DiscoveredDevice) {
        guard onEnd != nil,
            machine.disconnected(report.address, now: owners.clock.now)
        else { return }
        latest[report.address] = report
        if expiryTimer == nil { scheduleExpiry() }
        notify(.changed(ScanDiscovery(report)), of: report.address)
    }

    private func deviceLost(_ address: DeviceAddress) {
        guard onEnd != nil, machine.expired(address) else { return }
        notifyLost([address])
    }

    private func scheduleExpiry() {
        guard onEnd != nil, let next = machine.nextExpiry else { return }
        expiryTimer = owners.clock.schedule(at: next) { [weak self] in
            guard let self else { return }
            expiryTimer = nil
            notifyLost(machine.expire(now: owners.clock.now))
            scheduleExpiry()
        }
    }

    private func notifyLost(_ addresses: [DeviceAddress]) {
        for address in addresses {
            guard let report = latest.removeValue(forKey: address) else { continue }
            notify(.lost(ScanDiscovery(report)), of: address)
        }
    }

    private func notify(_ event: WatchEvent, of address: DeviceAddress? = nil) {
        // The watch may have stopped, with its end still queued.
        guard onEnd != nil else { return }
        act(self.event(event), on: address)
    }

    private func act(_ action: ScanAction, on address: DeviceAddress?) {
        // The callback may have stopped the watch.
        guard onEnd != nil else { return }
        switch action {
        case .continue: break
        case .blacklist:
            guard let address else { break }
            machine.ignore(address)
            latest[address] = nil
        case .stop: stop()
        case .connect(let discovery, let timeout, _, let completion):
            stop()
            owners.connect(discovery, timeout, completion)
        }
    }
}

extension ScanFilter {
    /// The monitors for this filter; empty if only discovery covers all matches.
    fileprivate var monitors: [AdvertisementMonitor1] {
        var companies: [(number: UInt16, prefix: [UInt8])] = []
        for condition in conditions {
            switch condition {
            // Most peripherals send their name only in scan responses.
            case .name, .namePrefix: return []
            // An alternative, an exclusion or a closure may depend on a scan response.
            case .oneOf, .not, .predicate: return []
            case .manufacturer(let number, let prefix):
                companies.append((number, Array(prefix)))
            case .addresses, .minimumRSSI, .anyService, .allServices: break
            }
        }
        return AdvertisementMonitor1.monitors(ofCompanies: companies)
    }
}
