internal import BluejayBlueZ
internal import BluejayGLib

/// An attempt to connect to the first peripheral that matches a filter, or to one whose address type is not
/// known: a scan and a connection in one.
///
/// The queue treats it as a connection, so the rules for connections apply from the call on.
final class FindAndConnectOperation: LinkMaker {
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

    var aim: ConnectAim {
        guard case .connecting(let attempt) = stage, case .peripheral(let found, _) = attempt.aim
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
    private let adapters: AdapterController
    private let connection: ConnectionController

    init(
        _ filter: ScanFilter,
        for peripheral: PeripheralIdentifier? = nil,
        _ adapters: AdapterController,
        _ connection: ConnectionController,
        within timeout: Timeout,
        completion: @escaping (ConnectionResult) -> Void
    ) {
        self.filter = filter
        self.peripheral = peripheral
        self.adapters = adapters
        self.connection = connection
        self.connectTimeout = timeout
        self.completion = completion
    }

    /// Connects to a peripheral whose address type is not known.
    convenience init(
        to peripheral: PeripheralIdentifier,
        _ adapters: AdapterController,
        _ connection: ConnectionController,
        within timeout: Timeout,
        _ completion: @escaping (ConnectionResult) -> Void
    ) {
        self.init(
            .addresses(peripheral.possibleAddresses.map(\.text)),
            for: peripheral,
            adapters,
            connection,
            within: timeout,
            completion: completion
        )
    }

    func start(onEnd: @escaping (BluejayError?) -> Void) {
        hasStarted = true
        self.onEnd = onEnd
        guard let radio = adapters.radio else { return finish(adapters.unavailableError) }
        let duration = connection.duration(connectTimeout)
        deadline = duration.map { connection.clock.now + $0 }
        if let peripheral,
            let known = radio.engine.client.objects.address(of: peripheral, over: radio.adapter)
        {
            return startAttempt(PeripheralIdentifier(address: known, name: peripheral.name), onEnd)
        }
        connection.searchStarted()
        let receive: (DiscoveredDevice) -> Void = { [weak self] in self?.receive($0) }
        let lease = radio.engine.discoverySession(radio.adapter).scan(
            DiscoveryFilter(filter, reportsDuplicates: false),
            report: filter.filtering(receive),
            connectionEnded: { [weak self] in self?.connectedDevices.remove($0) },
            failed: { [weak self] in self?.scanFailed($0) }
        )
        stage = .searching(lease)
        timer = duration.map { duration in
            connection.clock.schedule(after: duration) { [weak self] in self?.searchTimedOut() }
        }
        let delay = ConnectedDeviceDelay.length(inScanOf: duration)
        connectedDeviceTimer = connection.clock.schedule(after: delay) { [weak self] in
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
            timer = connection.clock.schedule(after: .zero) { self.finish(.cancelled) }
        }
    }

    func complete(_ error: (any Error)?) {
        endSearch()
        if case .connecting(let attempt) = stage { return attempt.complete(error) }
        if hasStarted { connection.searchEnded() }
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
        connection.log.connection.debug("matching peripheral found", ["peripheral": "\(found)"])
        startAttempt(found, onEnd)
        if peripheral == nil { connection.found(by: filter) }
    }

    private func startAttempt(
        _ found: PeripheralIdentifier,
        _ onEnd: @escaping (BluejayError?) -> Void
    ) {
        // At least 1 ms, because zero means no limit.
        let rest = deadline.map { max($0 - connection.clock.now, .milliseconds(1)) }
        let attempt = ConnectOperation(
            .peripheral(found),
            adapters,
            connection,
            within: rest.map { .seconds($0 / .seconds(1)) } ?? .none,
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
