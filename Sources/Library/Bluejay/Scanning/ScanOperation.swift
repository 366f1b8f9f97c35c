internal import BluejayBlueZ
internal import BluejayGLib
internal import FoundationEssentials

/// A scan, from its turn (or from the call, outside the queue) until it is stopped.
final class ScanOperation: QueuedOperation {
    private typealias Machine = ScanStateMachine<DeviceAddress, DiscoveredDevice.Content>

    let kind: QueueStateMachine.Kind
    let timeout = Timeout.none
    let subject = ErrorSubject(.scan)

    private let duration: Duration?
    private let filter: ScanFilter
    private let reporter: any ScanReporter
    private var machine: Machine
    private var lease: DiscoveryLease?
    private var durationTimer: ScheduledTimer?
    private var connectedDevices = ConnectedDeviceDelay(keeping: .newest)
    private var connectedDeviceTimer: ScheduledTimer?
    private var expiryTimer: ScheduledTimer?
    private var onEnd: ((BluejayError?) -> Void)?
    private let owners: ScanOwners

    init(
        _ request: ScanRequest,
        _ reporter: any ScanReporter,
        _ owners: ScanOwners
    ) {
        self.owners = owners
        kind = request.runsOutsideQueue ? .concurrentScan : .scan
        let duration = request.duration
        self.duration = duration > 0 ? Timeout.seconds(duration).duration : nil
        filter = request.filter
        self.reporter = reporter
        machine = ScanStateMachine(
            allowsDuplicates: request.allowsDuplicates,
            throttle: request.throttle,
            capacity: reporter.capacity
        )
    }

    func start(onEnd: @escaping (BluejayError?) -> Void) {
        self.onEnd = onEnd
        reporter.actions.onLateAction = { [weak self] in
            if let address = $1?.deviceAddress { self?.act($0, on: address) }
        }
        let adapters = owners.adapters
        guard let radio = adapters.radio else { return finish(adapters.unavailableError) }
        let discoveryFilter = DiscoveryFilter(filter, reportsDuplicates: machine.allowsDuplicates)
        let receive: (DiscoveredDevice) -> Void = { [weak self] in self?.receive($0) }
        lease = radio.engine.discoverySession(radio.adapter).scan(
            discoveryFilter,
            report: filter.filtering(receive),
            connectionEnded: { [weak self] in self?.connectionEnded($0) },
            failed: { [weak self] failure in
                guard let self else { return }
                finish(owners.adapters.error(failure))
            }
        )
        durationTimer = duration.map { duration in
            owners.clock.schedule(after: duration) { [weak self] in self?.stop() }
        }
        let delay = ConnectedDeviceDelay.length(inScanOf: duration)
        connectedDeviceTimer = owners.clock.schedule(after: delay) { [weak self] in
            guard let self else { return }
            for report in connectedDevices.end() { receive(report) }
        }
    }

    /// Ends the scan without an error.
    func stop() {
        finish(nil)
    }

    func abort() {
        onEnd = nil
        release()
    }

    func complete(_ error: (any Error)?) {
        reporter.finish(error)
    }

    private func finish(_ error: BluejayError?) {
        let onEnd = self.onEnd
        self.onEnd = nil
        release()
        onEnd?(error)
    }

    private func release() {
        lease?.end()
        lease = nil
        durationTimer = nil
        connectedDeviceTimer = nil
        expiryTimer = nil
    }

    private func receive(_ report: DiscoveredDevice) {
        guard onEnd != nil else { return }
        // The peripheral of this instance is not a discovery.
        if report.isConnected, owners.link.peripheral?.deviceAddress == report.address { return }
        if connectedDevices.add(report) { return }
        let verdict = machine.reported(
            report.address,
            rssi: report.rssi,
            isConnected: report.isConnected,
            content: machine.allowsDuplicates ? report.content : nil,
            now: owners.clock.now
        )
        perform(verdict, report)
    }

    /// Reports a connected peripheral once more; it then expires unless it advertises.
    private func connectionEnded(_ report: DiscoveredDevice) {
        guard onEnd != nil else { return }
        connectedDevices.remove(report)
        perform(machine.disconnected(report.address, now: owners.clock.now), report)
    }

    private func perform(_ verdict: Machine.Verdict, _ report: DiscoveredDevice) {
        switch verdict {
        case .ignore: break
        case .update: reporter.update(report)
        case .report: act(reporter.report(report), on: report.address)
        }
        // Later reports expire later, so a running timer stays.
        if expiryTimer == nil { scheduleExpiry() }
    }

    private func act(_ action: ScanAction, on address: DeviceAddress) {
        // The callback may have stopped the scan.
        guard onEnd != nil else { return }
        switch action {
        case .continue: break
        case .blacklist:
            machine.blacklisted(address)
            reporter.discard(address)
        case .stop: stop()
        case .connect(let discovery, let timeout, _, let completion):
            stop()
            owners.connect(discovery, timeout, completion)
        }
    }

    private func scheduleExpiry() {
        guard onEnd != nil, let next = machine.nextExpiry else { return }
        expiryTimer = owners.clock.schedule(at: next) { [weak self] in
            self?.expire()
        }
    }

    private func expire() {
        expiryTimer = nil
        for address in machine.expire(now: owners.clock.now) {
            guard onEnd != nil else { return }
            act(reporter.expire(address), on: address)
        }
        scheduleExpiry()
    }
}

extension ScanDiscovery {
    init(_ report: DiscoveredDevice) {
        self.init(
            peripheralIdentifier: PeripheralIdentifier(address: report.address, name: report.name),
            advertisement: Advertisement(
                localName: report.name,
                manufacturerData: report.manufacturerData,
                serviceData: report.serviceData,
                serviceUUIDs: report.uuids,
                txPower: report.txPower,
                flags: report.flags.map { AdvertisingFlags(rawValue: $0) },
                appearance: report.appearance.map { Appearance(rawValue: $0) },
                rawFields: report.otherFields
            ),
            // CoreBluetooth's value for an unknown strength.
            rssi: report.rssi ?? 127,
            isConnected: report.isConnected
        )
    }
}

struct ScanRequest {
    /// In seconds; 0 means no limit.
    var duration: TimeInterval
    var allowsDuplicates: Bool
    /// In dB.
    var throttle: Int
    var filter: ScanFilter
    /// Whether the scan stays outside the queue.
    var runsOutsideQueue = false
}
