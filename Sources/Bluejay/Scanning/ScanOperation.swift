internal import BluejayBlueZ
internal import BluejayGLib
internal import Foundation

/// A scan: from its turn in the queue until it is stopped.
final class ScanOperation: QueuedOperation {
    let kind = QueueStateMachine.Kind.scan
    let timeout: Duration? = nil
    let name = "scan"

    private let duration: Duration?
    private let services: [ServiceIdentifier]?
    private let discovery: (ScanDiscovery, [ScanDiscovery]) -> ScanAction
    private let expired: ((ScanDiscovery, [ScanDiscovery]) -> ScanAction)?
    private let stopped: ([ScanDiscovery], (any Error)?) -> Void

    private var machine: ScanStateMachine<DeviceAddress>
    private var found: [(address: DeviceAddress, discovery: ScanDiscovery)] = []
    private var lease: ScanLease?
    private var durationTimer: ScheduledTimer?
    private var expiryTimer: ScheduledTimer?
    private var done: ((BluejayError?) -> Void)?
    private weak var runner: OperationRunner?

    init(
        duration: TimeInterval,
        allowDuplicates: Bool,
        throttleRSSIDelta: Int,
        services: [ServiceIdentifier]?,
        discovery: @escaping (ScanDiscovery, [ScanDiscovery]) -> ScanAction,
        expired: ((ScanDiscovery, [ScanDiscovery]) -> ScanAction)?,
        stopped: @escaping ([ScanDiscovery], (any Error)?) -> Void
    ) {
        self.duration = duration > 0 ? Timeout.seconds(duration).duration : nil
        self.services = services
        self.discovery = discovery
        self.expired = expired
        self.stopped = stopped
        machine = ScanStateMachine(
            allowsDuplicates: allowDuplicates,
            throttle: throttleRSSIDelta
        )
    }

    func start(_ runner: OperationRunner, done: @escaping (BluejayError?) -> Void) {
        self.runner = runner
        self.done = done
        guard let radio = runner.radio else {
            return finish(.bluetoothUnavailable(runner.bluetoothState))
        }
        let uuids = services?.map(\.uuid.canonicalText)
        lease = radio.engine.arbiter(radio.adapter).scan(
            uuids: uuids?.isEmpty == true ? nil : uuids,
            duplicates: machine.allowsDuplicates
        ) { [weak self] in
            self?.receive($0)
        } failed: { [weak self, weak runner] failure in
            let state = runner?.bluetoothState ?? .unknown
            self?.finish(BluejayError(failure, doing: "scan", state: state))
        }
        durationTimer = duration.map { duration in
            runner.clock.schedule(after: duration) { [weak self] in self?.stop() }
        }
    }

    /// Ends without an error.
    func stop() {
        finish(nil)
    }

    func abort(_ runner: OperationRunner) {
        done = nil
        release()
    }

    func complete(_ error: (any Error)?) {
        stopped(found.map(\.discovery), error)
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
        expiryTimer = nil
    }

    private func receive(_ report: ScanReport) {
        guard done != nil, let runner else { return }
        let verdict = machine.reported(report.address, rssi: report.rssi, now: runner.clock.now)
        guard verdict != .ignore else { return }
        let discovery = ScanDiscovery(report)
        if let index = found.firstIndex(where: { $0.address == report.address }) {
            found[index].discovery = discovery
        } else {
            found.append((report.address, discovery))
        }
        armExpiry()
        guard verdict == .tell else { return }
        act(self.discovery(discovery, found.map(\.discovery)), on: report.address)
    }

    private func act(_ action: ScanAction, on address: DeviceAddress) {
        // The callback may have stopped the scan by itself.
        guard done != nil else { return }
        switch action {
        case .continue: break
        case .blacklist:
            machine.blacklisted(address)
            found.removeAll { $0.address == address }
        case .stop: stop()
        case .connect(let discovery, let timeout, _, let completion):
            let runner = runner
            stop()
            runner?.connect(
                to: discovery.peripheralIdentifier,
                timeout: timeout,
                completion: completion
            )
        }
    }

    private func armExpiry() {
        guard let runner, let next = machine.nextExpiry else { return expiryTimer = nil }
        expiryTimer = runner.clock.schedule(after: next - runner.clock.now) { [weak self] in
            self?.expire()
        }
    }

    private func expire() {
        guard let runner else { return }
        for address in machine.expire(now: runner.clock.now) {
            guard done != nil, let index = found.firstIndex(where: { $0.address == address }) else {
                continue
            }
            let lost = found.remove(at: index).discovery
            if case .stop? = expired?(lost, found.map(\.discovery)), done != nil { stop() }
        }
        if done != nil { armExpiry() }
    }
}

extension ScanDiscovery {
    init(_ report: ScanReport) {
        var serviceData: [BluetoothUUID: Data] = [:]
        for (uuid, bytes) in report.serviceData {
            serviceData[BluetoothUUID(string: uuid)] = Data(bytes)
        }
        self.init(
            peripheralIdentifier: PeripheralIdentifier(address: report.address, name: report.name),
            advertisement: Advertisement(
                localName: report.name,
                manufacturerData: report.manufacturerData.mapValues { Data($0) },
                serviceData: serviceData,
                serviceUUIDs: report.uuids.map { BluetoothUUID(string: $0) },
                txPower: report.txPower
            ),
            // CoreBluetooth's value for a strength that is not known.
            rssi: report.rssi ?? 127
        )
    }
}
