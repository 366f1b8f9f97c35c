internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import FoundationEssentials

/// One discovery of peripherals with a service, without connecting.
///
/// Confined to the loop of the host. The scan ends with its release.
final class PeripheralScan {
    private let tracker: AdapterTracker
    private let service: BluetoothUUID
    private let timeout: Duration
    private var completion: ((Result<[UUID], any Error>) -> Void)?
    private var machine: PeripheralScanStateMachine<UUID>
    private var adapterWait: ObservationToken?
    private var lease: DiscoveryLease?
    private var timer: ScheduledTimer?

    /// Creates a scan; `completion` is called once, in a later iteration of the loop or by ``end(_:)``.
    init(
        for service: UUID,
        with tracker: AdapterTracker,
        within timeout: Duration,
        _ completion: @escaping (Result<[UUID], any Error>) -> Void
    ) {
        self.tracker = tracker
        self.service = BluetoothUUID(service)
        self.timeout = timeout
        self.completion = completion
        machine = PeripheralScanStateMachine(timeout: timeout, now: tracker.engine.client.clock.now)
    }

    func start() {
        setTimer()
        adapterWait = tracker.whenUsable(within: timeout) { [weak self] in self?.adapterReady($0) }
    }

    private var clock: any EventClock { tracker.engine.client.clock }

    private func adapterReady(_ result: Result<ObjectPath, AdapterUnavailable>) {
        switch result {
        case .success(let adapter): scan(adapter)
        case .failure(let failure): finish(.failure(BleuError(failure.state)))
        }
    }

    private func scan(_ adapter: ObjectPath) {
        lease = tracker.engine.discoverySession(adapter).scan(DiscoveryFilter(services: [service]))
        { [weak self] in
            self?.seen($0)
        } failed: { [weak self] failure in
            guard let self else { return }
            let state = failure.unavailability(tracker.state)
            finish(
                .failure(
                    state.map { BleuError($0) }
                        ?? .connectionFailed(LinkError.other(failure.reason))
                )
            )
        }
    }

    private func seen(_ report: DiscoveredDevice) {
        let id = PeripheralIdentifier(address: report.address, name: nil).uuid
        if machine.seen(id, now: clock.now) { setTimer() }
    }

    private func setTimer() {
        timer = clock.schedule(at: machine.end) { [weak self] in
            guard let self else { return }
            let isScanning = lease != nil
            finish(isScanning ? .success(Array(machine.found)) : .failure(BleuError(tracker.state)))
        }
    }

    /// Ends the scan; `completion` is called in the next iteration of the loop.
    private func finish(_ result: Result<[UUID], any Error>) {
        release()
        clock.onNextIteration { self.complete(result) }
    }

    /// Ends the scan and calls `completion` at once.
    func end(_ error: any Error) {
        release()
        complete(.failure(error))
    }

    private func release() {
        timer = nil
        adapterWait = nil
        lease = nil
    }

    private func complete(_ result: Result<[UUID], any Error>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }
}

extension BleuError {
    /// The error of a call while Bluetooth is in a state other than on.
    init(_ state: BluetoothState) {
        if case .unauthorized = state {
            self = .bluetoothUnauthorized
        } else {
            self = .bluetoothUnavailable
        }
    }
}
