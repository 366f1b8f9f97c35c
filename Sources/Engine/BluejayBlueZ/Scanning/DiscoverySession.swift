internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib

/// Shares one adapter's discovery among all scans of this process.
///
/// bluetoothd merges the filters of all programs, so each lease filters its reports again. The report of
/// a device is created once and updated with each advertisement.
package final class DiscoverySession {
    private let client: BlueZClient
    private let adapter: ObjectPath
    private var machine = DiscoveryStateMachine()
    private var pauses = DiscoveryPauseStateMachine()
    private var isPaused = false
    private var busyTimer: ScheduledTimer?
    private var pauseTimer: ScheduledTimer?
    /// The leases, oldest first.
    private var leases: [WeakLease] = []
    private var lastLease = 0
    private var observation: ObservationToken?
    /// The reports of the devices seen; a change of any unadvertised property removes a device's report.
    private var reports: [ObjectPath: DiscoveredDevice] = [:]
    private var lastFailure = BlueZFailure.adapterOff
    /// The call without a reply.
    private var lastCall: (number: Int, since: Duration)?
    /// Even with a busy controller, bluetoothd replies within two seconds.
    private static let replyTimeout = Duration.seconds(5)
    private let log: Log

    init(_ client: BlueZClient, adapter: ObjectPath) {
        self.client = client
        log = Log("bluejay.scan", to: client.logDispatcher, ["adapter": adapter.name])
        self.adapter = adapter
    }

    /// Whether discovery is on for this process, or is being switched.
    var isDiscovering: Bool { !machine.isOff }

    /// Whether a call has been pending for longer than bluetoothd ever needs.
    var isUnresponsive: Bool {
        lastCall.map { client.clock.now - $0.since >= Self.replyTimeout } ?? false
    }

    /// Scans until the lease is released.
    ///
    /// - Parameters:
    ///   - filter: The devices to report. Each report matches its services; the caller checks the rest.
    ///   - report: Called for each report of a device in range, and once for each device that is
    ///     connected on the adapter when the scan starts.
    ///   - connectionEnded: Called when a device that was reported as connected disconnects, with its
    ///     last report. The device has not advertised.
    ///   - failed: Called at most once, when discovery cannot start or ends unexpectedly.
    /// - Returns: The lease.
    package func scan(
        _ filter: DiscoveryFilter,
        report: @escaping (DiscoveredDevice) -> Void,
        connectionEnded: ((DiscoveredDevice) -> Void)? = nil,
        failed: @escaping (BlueZFailure) -> Void
    ) -> DiscoveryLease {
        lastLease += 1
        let lease = DiscoveryLease(
            lastLease,
            filter,
            report: report,
            connectionEnded: connectionEnded,
            failed: failed
        )
        lease.onEnd = { [weak self] in self?.remove($0) }
        leases.append(WeakLease(lease))
        update()
        // A device seen by a running discovery may never be signalled again, and a connected device does
        // not advertise.
        lease.initialReportTimer = client.clock.schedule(after: .zero) { [weak self, weak lease] in
            guard let self, let lease else { return }
            let reports = presentReports(withConnected: filter.includesConnected)
            for report in reports { deliver(report, lease) }
        }
        return lease
    }

    /// Pauses discovery for a while, because a connection attempt starts.
    func attemptStarted() {
        perform(pauses.attemptStarted(now: client.clock.now))
    }

    func attemptEnded() {
        perform(pauses.attemptEnded())
    }

    private func perform(_ actions: [DiscoveryPauseStateMachine.Action]) {
        for action in actions {
            switch action {
            case .pause: isPaused = true
            case .resume: isPaused = false
            case .setTimer(let instant):
                pauseTimer = client.clock.schedule(at: instant) { [weak self] in
                    guard let self else { return }
                    perform(pauses.timerFired(now: client.clock.now))
                }
            }
        }
        update()
    }

    private func isActive(_ lease: DiscoveryLease) -> Bool {
        leases.contains { $0.lease === lease }
    }

    private func remove(_ id: Int) {
        leases.removeAll { $0.id == id }
        update()
    }

    private func update() {
        let active = leases.compactMap(\.lease)
        observe(!active.isEmpty)
        guard !active.isEmpty, !isPaused else { return perform(machine.updateFilter(nil)) }
        perform(machine.updateFilter(DiscoveryStateMachine.MergedFilter(for: active.map(\.filter))))
    }

    private func observe(_ isNeeded: Bool) {
        guard isNeeded != (observation != nil) else { return }
        reports = [:]
        guard isNeeded else {
            observation = nil
            return client.setAdvertisementHandler(of: adapter, to: nil)
        }
        observation = client.observe(.devices(of: adapter)) { [weak self] in self?.receive($0) }
        client.setAdvertisementHandler(of: adapter) { [weak self] in self?.advertised($0, $1) }
    }

    private func perform(_ actions: [DiscoveryStateMachine.Action]) {
        for action in actions {
            switch action {
            case .setFilter(let filter, let number):
                call(
                    number,
                    Adapter1.setDiscoveryFilter(
                        adapter,
                        reportsDuplicates: filter.reportsDuplicates,
                        minimumRSSI: filter.minimumRSSI
                    )
                )
            case .start(let number): call(number, Adapter1.startDiscovery(adapter))
            case .stop(let number): call(number, Adapter1.stopDiscovery(adapter))
            case .wait(let number):
                busyTimer = client.clock.schedule(after: DiscoveryStateMachine.retryDelay) {
                    [weak self] in
                    guard let self else { return }
                    perform(machine.waited(number))
                }
            case .fail: fail()
            }
        }
    }

    private func call(_ number: Int, _ call: MethodCall) {
        lastCall = (number, client.clock.now)
        client.call(call) { [weak self] result in
            guard let self else { return }
            if lastCall?.number == number { lastCall = nil }
            logResult(call, result)
            perform(handle(result, of: call, number))
        }
    }

    private func handle(
        _ result: CallResult,
        of call: MethodCall,
        _ number: Int
    ) -> [DiscoveryStateMachine.Action] {
        guard case .failure(let error) = result else {
            return machine.replied(number, succeeded: true)
        }
        lastFailure = BlueZFailure(local: error)
        let properties = client.objects.properties(adapter, Adapter1.interface)
        if Adapter1.isStartDiscovery(call), lastFailure == .inProgress {
            // Either bluetoothd is discovering, because an earlier start got no reply, or the kernel is
            // busy.
            let isDiscovering = properties.map { Adapter1($0).isDiscovering } == true
            return isDiscovering
                ? machine.replied(number, succeeded: true) : machine.wasBusy(number)
        }
        guard error.isRefusalForNow, client.objects.adapterState(adapter) == .on else {
            return machine.replied(number, succeeded: false)
        }
        // The adapter is on, so that `NotReady` has another reason.
        lastFailure = .other(error)
        return machine.wasRefused(number)
    }

    private func logResult(_ call: MethodCall, _ result: CallResult) {
        switch result {
        case .success: log.debug("discovery call succeeded", ["member": call.member])
        case .failure(let error):
            log.debug(
                "discovery call failed",
                ["member": call.member, "error": error.description]
            )
        }
    }

    private func fail() {
        let ended = leases.compactMap(\.lease)
        leases = []
        for lease in ended {
            lease.onEnd = nil
            lease.failed(lastFailure)
        }
    }

    // MARK: Reports

    private func receive(_ event: BlueZClient.Event) {
        switch event {
        case .disconnectReason: break
        case .stateChanged(let state):
            if state != .running { discoveryLost(.daemonLost) }
        case .changed(let changes):
            for change in changes { receive(change) }
        }
    }

    private func receive(_ change: ObjectTree.Change) {
        switch change {
        case .added(let path, Device1.interface):
            reports[path] = nil
            refreshReport(path)
        case .changed(let path, Device1.interface, let values, _):
            reports[path] = nil
            let change = Device1(values)
            if change.isAdvertised { refreshReport(path) }
            if change.connectedIfPresent == false { endConnection(of: path) }
        case .removed(let path, Device1.interface):
            reports[path] = nil
            endConnection(of: path)
        case .removed(adapter, Adapter1.interface): discoveryLost(.adapterOff)
        case .changed(adapter, Adapter1.interface, _, _):
            if client.objects.adapterState(adapter) != .on { discoveryLost(.adapterOff) }
        case .added, .removed, .changed: break
        }
    }

    private func discoveryLost(_ failure: BlueZFailure) {
        lastFailure = failure
        perform(machine.discoveryLost())
        // A paused discovery has no pending call that could fail, so the scans are failed here.
        if isPaused { fail() }
    }

    private func advertised(_ path: ObjectPath, _ change: AdvertisementUpdate) {
        guard let index = reports.index(forKey: path) else { return refreshReport(path) }
        reports.values[index].apply(change)
        deliver(reports.values[index])
    }

    private func refreshReport(_ path: ObjectPath) {
        guard let device = client.objects.device(at: path), device.isSeen,
            let report = DiscoveredDevice(path, device)
        else { return }
        reports[path] = report
        deliver(report)
    }

    private func deliver(_ report: DiscoveredDevice) {
        if leases.count == 1, let lease = leases[0].lease { return deliver(report, lease) }
        for lease in leases.compactMap(\.lease) where isActive(lease) { deliver(report, lease) }
    }

    private func deliver(_ report: DiscoveredDevice, _ lease: DiscoveryLease) {
        if isActive(lease), report.hasOne(of: lease.services) { lease.deliver(report) }
    }

    private func endConnection(of path: ObjectPath) {
        for lease in leases.compactMap(\.lease) where isActive(lease) {
            lease.endConnection(of: path)
        }
    }

    private func presentReports(withConnected: Bool) -> [DiscoveredDevice] {
        client.objects.paths(with: Device1.interface, below: adapter).compactMap { path in
            guard let device = client.objects.device(at: path),
                device.isSeen || withConnected && device.isConnected
            else { return nil }
            return DiscoveredDevice(path, device)
        }
    }
}

private final class WeakLease {
    let id: Int
    weak var lease: DiscoveryLease?

    init(_ lease: DiscoveryLease) {
        id = lease.id
        self.lease = lease
    }
}
