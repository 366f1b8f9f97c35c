internal import BluejayBlueZ
internal import BluejayGLib
internal import FoundationEssentials

/// A scan: from its turn, or from the call when it runs beside the queue, until it is stopped.
final class ScanOperation: QueuedOperation {
    private typealias Machine = ScanStateMachine<DeviceAddress, ScanReport.Content>

    let kind: QueueStateMachine.Kind
    let timeout = Timeout.none
    let subject = ErrorSubject(.scan)

    /// How long what is connected is held back: another program may use it, and the first that a scan
    /// tells is what most programs take.
    static var courtesy: Duration { .seconds(1) }

    private let duration: Duration?
    private let filter: ScanFilter
    private let audience: any ScanAudience
    private var machine: Machine
    private var lease: ScanLease?
    private var durationTimer: ScheduledTimer?
    /// While it runs, what is connected gives way to what advertises.
    private var courtesyTimer: ScheduledTimer?
    private var heldBack: [ScanReport] = []
    private var expiryTimer: ScheduledTimer?
    private var done: ((BluejayError?) -> Void)?
    private weak var runner: OperationRunner?

    init(_ request: ScanRequest, _ audience: any ScanAudience, _ runner: OperationRunner) {
        self.runner = runner
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
        guard let runner else { return done(.cancelled) }
        self.done = done
        guard let radio = runner.adapters.radio else {
            return finish(runner.adapters.unusable)
        }
        let wish = ScanWish(filter, reportsDuplicates: machine.allowsDuplicates)
        let receive: (ScanReport) -> Void = { [weak self] in self?.receive($0) }
        lease = radio.engine.arbiter(radio.adapter).scan(
            wish,
            report: filter.before(receive),
            connectionEnded: { [weak self] in self?.connectionEnded($0) },
            failed: { [weak self, weak runner] failure in
                guard let self, let runner else { return }
                finish(runner.adapters.error(failure))
            }
        )
        durationTimer = duration.map { duration in
            runner.clock.schedule(after: duration) { [weak self] in self?.stop() }
        }
        let courtesy = min(Self.courtesy, (duration ?? .seconds(60)) / 2)
        courtesyTimer = runner.clock.schedule(after: courtesy) { [weak self] in
            self?.tellHeldBack()
        }
    }

    /// Tells what is connected: nothing that is free was taken instead.
    private func tellHeldBack() {
        courtesyTimer = nil
        let reports = heldBack
        heldBack = []
        for report in reports { receive(report) }
    }

    /// Ends without an error.
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

    private func receive(_ report: ScanReport) {
        guard done != nil, let runner else { return }
        // What this instance is connected to itself is no discovery.
        if report.isConnected, runner.link.peripheral?.deviceAddress == report.address { return }
        heldBack.removeAll { $0.address == report.address }
        if report.isConnected, courtesyTimer != nil { return heldBack.append(report) }
        let verdict = machine.reported(
            report.address,
            rssi: report.rssi,
            isConnected: report.isConnected,
            content: machine.allowsDuplicates ? report.content : nil,
            now: runner.clock.now
        )
        perform(verdict, report)
    }

    /// A peripheral that was told as connected is told once more, and expires unless it advertises.
    private func connectionEnded(_ report: ScanReport) {
        guard done != nil, let runner else { return }
        heldBack.removeAll { $0.address == report.address }
        perform(machine.disconnected(report.address, now: runner.clock.now), report)
    }

    private func perform(_ verdict: Machine.Verdict, _ report: ScanReport) {
        switch verdict {
        case .ignore: break
        case .update: audience.note(report)
        case .tell: act(audience.tell(report), on: report.address)
        }
        // Later ones expire later: a timer that runs stays as it is.
        if expiryTimer == nil { armExpiry() }
    }

    private func act(_ action: ScanAction, on address: DeviceAddress) {
        // The callback may have stopped the scan by itself.
        guard done != nil else { return }
        switch action {
        case .continue: break
        case .blacklist:
            machine.blacklisted(address)
            audience.forget(address)
        case .stop: stop()
        case .connect(let discovery, let timeout, _, let completion):
            let runner = runner
            stop()
            OperationRunner.connect(runner, answering: discovery, timeout, completion)
        }
    }

    private func armExpiry() {
        guard done != nil, let runner, let next = machine.nextExpiry else { return }
        expiryTimer = runner.clock.schedule(after: next - runner.clock.now) { [weak self] in
            self?.expire()
        }
    }

    private func expire() {
        guard let runner else { return }
        expiryTimer = nil
        for address in machine.expire(now: runner.clock.now) {
            guard done != nil else { return }
            act(audience.lose(address), on: address)
        }
        armExpiry()
    }
}

extension ScanDiscovery {
    init(_ report: ScanReport) {
        self.init(
            peripheralIdentifier: PeripheralIdentifier(address: report.address, name: report.name),
            advertisement: Advertisement(
                localName: report.name,
                manufacturerData: report.manufacturerData,
                serviceData: report.serviceData,
                serviceUUIDs: report.uuids,
                txPower: report.txPower
            ),
            // CoreBluetooth's value for a strength that is not known.
            rssi: report.rssi ?? 127,
            isConnected: report.isConnected
        )
    }
}

extension OperationRunner {
    /// Connects as the answer of a scan or of a watch, which has stopped.
    ///
    /// What the user does when it has stopped may have stopped everything.
    static func connect(
        _ runner: OperationRunner?,
        answering discovery: ScanDiscovery,
        _ timeout: Timeout,
        _ completion: @escaping (ConnectionResult) -> Void
    ) {
        let subject = ErrorSubject(.connect, peripheral: discovery.peripheralIdentifier)
        guard let runner, runner.adapters.hasStarted else {
            return completion(.failure(subject.named(BluejayError.stopped)))
        }
        // As any other call: the end of the connection that a task had is told when the task has ended.
        guard !runner.gate.isRunningTask else {
            let refusal = subject.named(BluejayError.backgroundTaskRunning)
            return runner.scheduler.completeOnNextIteration { completion(.failure(refusal)) }
        }
        runner.connect(
            to: discovery.peripheralIdentifier,
            timeout: timeout,
            completion: completion
        )
    }
}
