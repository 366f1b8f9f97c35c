internal import BluejayBlueZ
internal import BluejayGLib
internal import FoundationEssentials

/// A scan, from its turn (or from the call, outside the queue) until it is stopped.
final class ScanOperation: QueuedOperation {
    private typealias Machine = ScanStateMachine<DeviceAddress, DiscoveredDevice.Content>

    let kind: QueueStateMachine.Kind
    let timeout = Timeout.none
    let subject = ErrorSubject(.scan)

    /// The time for which connected peripherals are held back.
    ///
    /// Another program may use them, and most programs take the first peripheral that a scan reports.
    static var courtesy: Duration { .seconds(1) }

    private let duration: Duration?
    private let filter: ScanFilter
    private let audience: any ScanReporter
    private var machine: Machine
    private var lease: DiscoveryLease?
    private var durationTimer: ScheduledTimer?
    /// Holds back connected peripherals while it runs.
    private var courtesyTimer: ScheduledTimer?
    private var heldBack: [DiscoveredDevice] = []
    private var expiryTimer: ScheduledTimer?
    private var done: ((BluejayError?) -> Void)?
    private let adapters: AdapterController
    private let connection: ConnectionController

    init(
        _ request: ScanRequest,
        _ audience: any ScanReporter,
        _ adapters: AdapterController,
        _ connection: ConnectionController
    ) {
        self.adapters = adapters
        self.connection = connection
        kind = request.isBesideQueue ? .besideScan : .scan
        let duration = request.duration
        self.duration = duration > 0 ? Timeout.seconds(duration).duration : nil
        filter = request.filter
        self.audience = audience
        machine = ScanStateMachine(
            allowsDuplicates: request.allowsDuplicates,
            throttle: request.throttle,
            capacity: audience.capacity
        )
    }

    func start(done: @escaping (BluejayError?) -> Void) {
        self.done = done
        guard let radio = adapters.radio else { return finish(adapters.unusable) }
        let wish = ScanWish(filter, reportsDuplicates: machine.allowsDuplicates)
        let receive: (DiscoveredDevice) -> Void = { [weak self] in self?.receive($0) }
        lease = radio.engine.arbiter(radio.adapter).scan(
            wish,
            report: filter.before(receive),
            connectionEnded: { [weak self] in self?.connectionEnded($0) },
            failed: { [weak self] failure in
                guard let self else { return }
                finish(adapters.error(failure))
            }
        )
        durationTimer = duration.map { duration in
            connection.clock.schedule(after: duration) { [weak self] in self?.stop() }
        }
        let courtesy = min(Self.courtesy, (duration ?? .seconds(60)) / 2)
        courtesyTimer = connection.clock.schedule(after: courtesy) { [weak self] in
            self?.tellHeldBack()
        }
    }

    /// Reports connected peripherals, because no advertising one was chosen.
    private func tellHeldBack() {
        courtesyTimer = nil
        let reports = heldBack
        heldBack = []
        for report in reports { receive(report) }
    }

    /// Ends the scan without an error.
    func stop() {
        finish(nil)
    }

    func abort() {
        done = nil
        release()
    }

    func complete(_ error: (any Error)?) {
        audience.end(error)
    }

    private func finish(_ error: BluejayError?) {
        let done = done
        self.done = nil
        release()
        done?(error)
    }

    private func release() {
        lease?.end()
        lease = nil
        durationTimer = nil
        courtesyTimer = nil
        expiryTimer = nil
    }

    private func receive(_ report: DiscoveredDevice) {
        guard done != nil else { return }
        // The peripheral of this instance is not a discovery.
        if report.isConnected, connection.peripheral?.deviceAddress == report.address { return }
        heldBack.removeAll { $0.address == report.address }
        if report.isConnected, courtesyTimer != nil { return heldBack.append(report) }
        let verdict = machine.reported(
            report.address,
            rssi: report.rssi,
            isConnected: report.isConnected,
            content: machine.allowsDuplicates ? report.content : nil,
            now: connection.clock.now
        )
        perform(verdict, report)
    }

    /// Reports a connected peripheral once more; it then expires unless it advertises.
    private func connectionEnded(_ report: DiscoveredDevice) {
        guard done != nil else { return }
        heldBack.removeAll { $0.address == report.address }
        perform(machine.disconnected(report.address, now: connection.clock.now), report)
    }

    private func perform(_ verdict: Machine.Verdict, _ report: DiscoveredDevice) {
        switch verdict {
        case .ignore: break
        case .update: audience.note(report)
        case .tell: act(audience.tell(report), on: report.address)
        }
        // Later reports expire later, so a running timer stays.
        if expiryTimer == nil { armExpiry() }
    }

    private func act(_ action: ScanAction, on address: DeviceAddress) {
        // The callback may have stopped the scan.
        guard done != nil else { return }
        switch action {
        case .continue: break
        case .blacklist:
            machine.blacklisted(address)
            audience.forget(address)
        case .stop: stop()
        case .connect(let discovery, let timeout, _, let completion):
            stop()
            connection.connect(answering: discovery, timeout, completion)
        }
    }

    private func armExpiry() {
        guard done != nil, let next = machine.nextExpiry else { return }
        expiryTimer = connection.clock.schedule(at: next) { [weak self] in
            self?.expire()
        }
    }

    private func expire() {
        expiryTimer = nil
        for address in machine.expire(now: connection.clock.now) {
            guard done != nil else { return }
            act(audience.lose(address), on: address)
        }
        armExpiry()
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
                txPower: report.txPower
            ),
            // CoreBluetooth's value for an unknown strength.
            rssi: report.rssi ?? 127,
            isConnected: report.isConnected
        )
    }
}
