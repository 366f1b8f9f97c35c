internal import BluejayBlueZ
internal import BluejayDBus
internal import BluejayGLib

/// Scans for the mesh service in windows, as `DutyCycleStateMachine` decides.
///
/// Confined to the loop of the host.
final class MeshScanner {
    /// Receives each advertisement with the mesh service.
    var onReport: ((DiscoveredDevice) -> Void)?
    /// Called when a window has started (`true`) or ended (`false`).
    var onWindow: ((Bool) -> Void)?

    private let engine: BlueZEngine
    private let log: Log
    private var machine: DutyCycleStateMachine
    private var adapter: ObjectPath?
    private var lease: DiscoveryLease?
    private var timer: ScheduledTimer?

    init(_ engine: BlueZEngine, _ settings: BLECentralManager.Settings, _ log: Log) {
        self.engine = engine
        self.log = log
        machine = DutyCycleStateMachine(settings)
    }

    var isScanning: Bool { machine.isScanning }

    func start() {
        perform(machine.start(now: clock.now))
    }

    func stop() {
        perform(machine.stop())
    }

    func setBackground(_ isBackground: Bool) {
        perform(machine.setBackground(isBackground, now: clock.now))
    }

    func setCycle(_ cycle: Duration) {
        perform(machine.setCycle(cycle, now: clock.now))
    }

    /// The adapter to scan with; `nil` while Bluetooth is unavailable.
    func use(_ adapter: ObjectPath?) {
        if self.adapter != nil { perform(machine.becameUnavailable()) }
        self.adapter = adapter
        if adapter != nil { perform(machine.becameAvailable(now: clock.now)) }
    }

    private var clock: any EventClock { engine.client.clock }

    private func perform(_ actions: [DutyCycleStateMachine.Action]) {
        for action in actions {
            switch action {
            case .startScan(let reportsDuplicates): scan(reportsDuplicates)
            case .endScan:
                lease = nil
                onWindow?(false)
            case .setTimer(let instant):
                timer = clock.schedule(at: instant) { [weak self] in
                    guard let self else { return }
                    perform(machine.timerFired(now: clock.now))
                }
            }
        }
    }

    private func scan(_ reportsDuplicates: Bool) {
        guard let adapter else { return }
        let isNew = lease == nil
        let filter = DiscoveryFilter(
            services: [MeshBLEConstants.serviceUUID],
            reportsDuplicates: reportsDuplicates
        )
        // The new lease is made before the old one is released, so that discovery does not stop.
        lease = engine.discoverySession(adapter).scan(filter) { [weak self] in
            self?.onReport?($0)
        } failed: { [weak self] failure in
            guard let self else { return }
            log.warning("scan failed", ["error": "\(failure)"])
            perform(machine.scanFailed(now: clock.now))
        }
        if isNew { onWindow?(true) }
    }
}
