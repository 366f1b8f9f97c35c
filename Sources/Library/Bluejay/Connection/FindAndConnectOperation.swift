internal import BluejayBlueZ
internal import BluejayGLib

/// An attempt to connect to the first peripheral that matches a filter, or to one whose address type is not
/// known: a scan and a connection in one.
///
/// The queue treats it as a connection, so the rules for connections apply from the call on.
final class FindAndConnectOperation: ConnectionAttempt {
    let kind = QueueStateMachine.Kind.connect
    // `connectTimeout` applies instead; the connection receives the remaining time.
    let timeout = Timeout.none

    private enum Stage {
        case waiting
        case searching(DiscoveryLease)
        case connecting(ConnectOperation)
        case ended
    }

    var subject: ErrorSubject {
        if case .connecting(let attempt) = stage { return attempt.subject }
        return ErrorSubject(.connect, peripheral: peripheral)
    }

    var attemptTarget: AttemptTarget {
        guard case .connecting(let attempt) = stage,
            case .peripheral(let found, _) = attempt.attemptTarget
        else { return peripheral.map { .peripheral($0, nil) } ?? .search(filter) }
        return .peripheral(found, peripheral == nil ? filter : nil)
    }

    private let filter: ScanFilter
    /// The requested peripheral, whose address type is not known.
    private let peripheral: PeripheralIdentifier?
    private let connectTimeout: Timeout
    private let completion: (ConnectionResult) -> Void
    private var stage = Stage.waiting
    private var hasStarted = false
    private var deadline: Duration?
    private var connectedDevices = ConnectedDeviceDelay(keeping: .first)
    private var connectedDeviceTimer: ScheduledTimer?
    /// Ends the search.
    private var timer: ScheduledTimer?
    private var onEnd: ((BluejayError?) -> Void)?
    private let context: AttemptContext
    private var adapters: AdapterController { context.adapters }

    init(
        _ filter: ScanFilter,
        for peripheral: PeripheralIdentifier? = nil,
        _ context: AttemptContext,
        within timeout: Timeout,
        completion: @escaping (ConnectionResult) -> Void
    ) {
        self.filter = filter
        self.peripheral = peripheral
        self.context = context
        self.connectTimeout = timeout
        self.completion = completion
    }

    /// Connects to a peripheral whose address type is not known.
    convenience init(
        to peripheral: PeripheralIdentifier,
        _ context: AttemptContext,
        within timeout: Timeout,
        completion: @escaping (ConnectionResult) -> Void
    ) {
        self.init(
            .addresses(peripheral.possibleAddresses.map(\.text)),
            for: peripheral,
            context,
            within: timeout,
            completion: completion
        )
    }

    func start(onEnd: @escaping (BluejayError?) -> Void) {
        hasStarted = true
        self.onEnd = onEnd
        guard let radio = adapters.radio else { return finish(adapters.unavailableError) }
        let duration = context.duration(connectTimeout)
        deadline = duration.map { context.clock.now + $0 }
        if let peripheral,
            let known = radio.engine.client.objects.address(of: peripheral, over: radio.adapter)
        {
            return startAttempt(PeripheralIdentifier(address: known, name: peripheral.name), onEnd)
        }
        context.report(.searchStarted)
        let receive: (DiscoveredDevice) -> Void = { [weak self] in self?.receive($0) }
        let lease = radio.engine.discoverySession(radio.adapter).scan(
            DiscoveryFilter(filter, reportsDuplicates: false),
            report: filter.filtering(receive),
            connectionEnded: { [weak self] in self?.connectedDevices.remove($0) },
            failed: { [weak self] in self?.scanFailed($0) }
        )
        stage = .searching(lease)
        timer = duration.map { duration in
            context.clock.schedule(after: duration) { [weak self] in self?.searchTimedOut() }
        }
        let delay = ConnectedDeviceDelay.length(inScanOf: duration)
        connectedDeviceTimer = context.clock.schedule(after: delay) { [weak self] in
            guard let self else { return }
            if let first = connectedDevices.end().first { connect(first) }
        }
    }

    func abort() {
        switch stage {
        case .waiting, .ended: break
        case .connecting(let attempt): attempt.abort()
        case .searching:
            endSearch()
            // The queue expects the end of an attempt after this call, never inside it. Meanwhile the timer
            // retains the operation.
            timer = context.clock.schedule(after: .zero) { self.finish(.cancelled) }
        }
    }

    func complete(_ error: (any Error)?) {
        endSearch()
        if case .connecting(let attempt) = stage { return attempt.complete(error) }
        if hasStarted { context.report(.searchEnded) }
        completion(.failure(error ?? subject.annotate(BluejayError.notConnected)))
    }

    private func receive(_ report: DiscoveredDevice) {
        guard case .searching = stage, !connectedDevices.add(report) else { return }
        connect(report)
    }

    private func connect(_ report: DiscoveredDevice) {
        guard case .searching = stage, let onEnd else { return }
        endSearch()
        let found = PeripheralIdentifier(address: report.address, name: report.name)
        context.log.debug("matching peripheral found", ["peripheral": "\(found)"])
        startAttempt(found, onEnd)
        if peripheral == nil { context.report(.found(by: filter)) }
    }

    private func startAttempt(
        _ found: PeripheralIdentifier,
        _ onEnd: @escaping (BluejayError?) -> Void
    ) {
        let attempt = ConnectOperation(
            .peripheral(found),
            context,
            within: context.timeout(until: deadline, otherwise: .none),
            completion: completion
        )
        stage = .connecting(attempt)
        self.onEnd = nil
        attempt.start(onEnd: onEnd)
    }

    private func searchTimedOut() {
        guard case .searching = stage else { return }
        endSearch()
        let reason = adapters.connectedElsewhere(filter.wantedAddresses)
        let error: BluejayError =
            peripheral == nil ? .noPeripheralFound(filter.description) : .connectionTimedOut
        finish(error.withReason(reason))
    }

    private func scanFailed(_ failure: BlueZFailure) {
        guard case .searching = stage else { return }
        let error = adapters.error(failure)
        endSearch()
        finish(error)
    }

    private func endSearch() {
        guard case .searching(let lease) = stage else { return }
        stage = .ended
        lease.end()
        timer = nil
        connectedDeviceTimer = nil
    }

    private func finish(_ error: BluejayError) {
        timer = nil
        let onEnd = self.onEnd
        self.onEnd = nil
        onEnd?(error)
    }
}
