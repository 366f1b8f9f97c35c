package import BluejayCore
package import BluejayDBus
internal import BluejayGLib

/// Watches advertisements with a `MonitorStateMachine`, until the session ends or is released.
package final class AdvertisementMonitorSession {
    package struct Handlers {
        let mode: (MonitorStateMachine.Mode) -> Void
        let report: (DiscoveredDevice) -> Void
        let connectionEnded: (DiscoveredDevice) -> Void
        let lost: (DeviceAddress) -> Void
        let failed: (BlueZFailure) -> Void

        /// Creates the callbacks.
        ///
        /// - Parameters:
        ///   - mode: Called when the session starts to watch, and again when the mode changes.
        ///   - report: Called for each advertisement that bluetoothd reports.
        ///   - connectionEnded: Called during discovery when a device that was reported as connected
        ///     disconnects.
        ///   - lost: Called for a device that bluetoothd reports as lost, which it does for few devices.
        ///   - failed: Called at most once, when discovery cannot start or ends unexpectedly.
        package init(
            mode: @escaping (MonitorStateMachine.Mode) -> Void,
            report: @escaping (DiscoveredDevice) -> Void,
            connectionEnded: @escaping (DiscoveredDevice) -> Void,
            lost: @escaping (DeviceAddress) -> Void,
            failed: @escaping (BlueZFailure) -> Void
        ) {
            self.mode = mode
            self.report = report
            self.connectionEnded = connectionEnded
            self.lost = lost
            self.failed = failed
        }
    }

    private let sessions: DiscoverySessions
    private let client: BlueZClient
    private let adapter: ObjectPath
    private let filter: DiscoveryFilter
    private let monitors: [AdvertisementMonitor1]
    private let handlers: Handlers
    private let exporter: ObjectExporter
    private var machine: MonitorStateMachine
    private var timer: ScheduledTimer?
    private var lease: DiscoveryLease?
    /// The path of the monitors; `nil` while they are not exported.
    private var exported: (root: ObjectPath, objects: ObjectServer)?
    /// Devices found before all monitors are active; `nil` once devices are reported immediately.
    private var bufferedDevices: Set<ObjectPath>? = []
    private let log: Log

    /// Creates a session, which `start` begins.
    ///
    /// - Parameters:
    ///   - filter: The filter for discovery, which replaces missing monitors.
    ///   - monitors: The monitors; an empty list selects discovery.
    ///   - adapter: An adapter that is on.
    ///   - sessions: The discovery of all adapters.
    ///   - handlers: The callbacks.
    package init(
        _ filter: DiscoveryFilter,
        monitors: [AdvertisementMonitor1],
        over adapter: ObjectPath,
        sharing sessions: DiscoverySessions,
        _ handlers: Handlers
    ) {
        self.filter = filter
        self.monitors = monitors
        self.adapter = adapter
        self.sessions = sessions
        client = sessions.client
        self.handlers = handlers
        exporter = ObjectExporter.shared(by: client)
        log = Log("bluejay.scan", to: client.logDispatcher, ["adapter": adapter.name])
        machine = MonitorStateMachine(monitorCount: monitors.count)
    }

    deinit {
        unregister()
    }

    package func start() {
        perform(
            machine.start(
                supportsMonitors: client.objects.supportsMonitors(adapter),
                now: client.clock.now
            )
        )
    }

    /// Ends the session; no callback follows.
    package func end() {
        perform(machine.end())
    }

    private func perform(_ actions: [MonitorStateMachine.Action]) {
        for action in actions {
            switch action {
            case .register: register()
            case .unregister: unregister()
            case .discover: discover()
            case .endDiscovery: lease?.end()
            case .reportMode(let mode): reportMode(mode)
            case .setTimer(let instant):
                timer = client.clock.schedule(at: instant) { [weak self] in
                    guard let self else { return }
                    perform(machine.timerFired())
                }
            }
        }
    }

    private func reportMode(_ mode: MonitorStateMachine.Mode) {
        let found = bufferedDevices ?? []
        bufferedDevices = nil
        log.debug("monitoring started", ["mode": "\(mode)"])
        handlers.mode(mode)
        for path in found.sorted() { self.found(path) }
    }

    // MARK: Monitors

    private func register() {
        guard let objects = exporter.objects else {
            return perform(machine.registered(succeeded: false))
        }
        let root = exporter.makePath("monitors")
        exported = (root, objects)
        for (number, monitor) in monitors.enumerated() {
            guard let path = root.child("monitor\(number)") else { continue }
            objects.export([monitor.busInterface(monitorHandlers(root))], at: path)
        }
        objects.exportManager(at: root)
        let call = AdvertisementMonitorManager1.registerMonitor(root, at: adapter)
        // bluetoothd reads the monitors before it replies.
        objects.connection.call(call) { [weak self] result in
            guard let self, exported?.root == root else { return }
            switch result {
            case .success: perform(machine.registered(succeeded: true))
            case .failure(let error):
                log.debug("monitor registration failed", ["error": error.description])
                perform(machine.registered(succeeded: false))
            }
        }
    }

    private func monitorHandlers(_ root: ObjectPath) -> AdvertisementMonitor1.Handlers {
        AdvertisementMonitor1.Handlers(
            activate: { [weak self] in
                guard let self else { return }
                perform(machine.activated())
            },
            release: { [weak self] in
                guard let self else { return }
                perform(machine.released())
            },
            found: { [weak self] in self?.found($0) },
            lost: { [weak self] path in
                guard let self, let address = client.objects.device(at: path)?.address
                else { return }
                handlers.lost(address)
            }
        )
    }

    private func found(_ path: ObjectPath) {
        guard bufferedDevices == nil else {
            bufferedDevices?.insert(path)
            return
        }
        guard let device = client.objects.device(at: path),
            let report = DiscoveredDevice(path, device), report.hasOne(of: filter.services)
        else { return }
        handlers.report(report)
    }

    private func unregister() {
        guard let (root, objects) = exported else { return }
        exported = nil
        // bluetoothd stops using the monitors whatever its reply.
        objects.connection.call(
            AdvertisementMonitorManager1.unregisterMonitor(root, at: adapter)
        ) { _ in
        }
        objects.unexportManager(at: root)
        for number in monitors.indices {
            if let path = root.child("monitor\(number)") { objects.unexport(path) }
        }
    }

    // MARK: Discovery

    private func discover() {
        let handlers = handlers
        lease = sessions.session(of: adapter).scan(
            filter,
            report: handlers.report,
            connectionEnded: handlers.connectionEnded,
            failed: handlers.failed
        )
    }
}
