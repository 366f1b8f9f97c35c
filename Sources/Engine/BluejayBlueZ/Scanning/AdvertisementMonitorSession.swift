package import BluejayCore
package import BluejayDBus
internal import BluejayGLib

/// Watches advertisements as a `MonitorStateMachine` decides, until it is ended or released.
package final class AdvertisementMonitorSession {
    /// Who hears of it.
    package struct Handlers {
        let mode: (MonitorStateMachine.Mode) -> Void
        let report: (DiscoveredDevice) -> Void
        let connectionEnded: (DiscoveredDevice) -> Void
        let lost: (DeviceAddress) -> Void
        let failed: (BlueZFailure) -> Void

        /// Makes them.
        ///
        /// - Parameters:
        ///   - mode: Called when it watches, and again when it does so otherwise.
        ///   - report: Called for each advertisement that bluetoothd tells of.
        ///   - connectionEnded: Called in a discovery when a device that was reported as connected is
        ///     connected no more.
        ///   - lost: Called for a device that bluetoothd has lost; of most it does not say so.
        ///   - failed: Called at most once, when discovery cannot start or ended by itself.
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

    private let engine: BlueZEngine
    private let adapter: ObjectPath
    private let wish: ScanWish
    private let monitors: [AdvertisementMonitor1]
    private let handlers: Handlers
    private let hub: ObjectExporter
    private var machine: MonitorStateMachine
    private var timer: ScheduledTimer?
    private var lease: DiscoveryLease?
    /// Where the monitors are; nil while they are not on the bus.
    private var exported: (root: ObjectPath, objects: ObjectServer)?
    /// Devices that some of the monitors have found while others were not active yet; nil when all that
    /// is found is told.
    private var early: Set<ObjectPath>? = []
    private let log: Log

    /// Makes one; `begin` begins.
    ///
    /// - Parameters:
    ///   - wish: What discovery is asked for where there are no monitors.
    ///   - monitors: None is discovery.
    ///   - adapter: One that is on.
    ///   - engine: Where bluetoothd is.
    ///   - handlers: Who hears of it.
    package init(
        _ wish: ScanWish,
        monitors: [AdvertisementMonitor1],
        over adapter: ObjectPath,
        of engine: BlueZEngine,
        _ handlers: Handlers
    ) {
        self.wish = wish
        self.monitors = monitors
        self.adapter = adapter
        self.engine = engine
        self.handlers = handlers
        hub = ObjectExporter.shared(by: engine.client)
        log = Log("bluejay.scan", to: engine.client.logHub, ["adapter": adapter.name])
        machine = MonitorStateMachine(monitors: monitors.count)
    }

    deinit {
        takeBack()
    }

    /// Begins to watch.
    package func begin() {
        perform(
            machine.begin(
                takesMonitors: engine.client.objects.takesMonitors(adapter),
                now: engine.client.clock.now
            )
        )
    }

    /// Ends it; nothing is told afterwards.
    package func end() {
        perform(machine.end())
    }

    private func perform(_ actions: [MonitorStateMachine.Action]) {
        for action in actions {
            switch action {
            case .register: register()
            case .unregister: takeBack()
            case .discover: discover()
            case .endDiscovery: lease?.end()
            case .tell(let mode): tell(mode)
            case .setTimer(let instant):
                timer = engine.client.clock.schedule(at: instant) { [weak self] in
                    guard let self else { return }
                    perform(machine.timerFired())
                }
            }
        }
    }

    private func tell(_ mode: MonitorStateMachine.Mode) {
        let found = early ?? []
        early = nil
        log.debug("watching", ["mode": "\(mode)"])
        handlers.mode(mode)
        for path in found.sorted() { self.found(path) }
    }

    // MARK: Monitors

    private func register() {
        guard let objects = hub.objects else {
            return perform(machine.registered(succeeded: false))
        }
        let root = hub.freshPath("monitors")
        exported = (root, objects)
        for (number, monitor) in monitors.enumerated() {
            guard let path = root.child("monitor\(number)") else { continue }
            objects.export([monitor.busInterface(monitorHandlers(root))], at: path)
        }
        objects.exportManager(at: root)
        let call = AdvertisementMonitorManager1.registerMonitor(root, at: adapter)
        // bluetoothd asks for the monitors before it answers.
        objects.connection.call(call) { [weak self] result in
            guard let self, exported?.root == root else { return }
            switch result {
            case .success: perform(machine.registered(succeeded: true))
            case .failure(let error):
                log.debug("monitors are refused", ["error": error.description])
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
                guard let self, let address = engine.client.objects.device(at: path)?.address
                else { return }
                handlers.lost(address)
            }
        )
    }

    private func found(_ path: ObjectPath) {
        guard early == nil else {
            early?.insert(path)
            return
        }
        guard let device = engine.client.objects.device(at: path),
            let report = DiscoveredDevice(path, device), report.hasOne(of: wish.services)
        else { return }
        handlers.report(report)
    }

    private func takeBack() {
        guard let (root, objects) = exported else { return }
        exported = nil
        // Whatever the answer, nobody asks the monitors any more.
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
        lease = engine.arbiter(adapter).scan(
            wish,
            report: handlers.report,
            connectionEnded: handlers.connectionEnded,
            failed: handlers.failed
        )
    }
}
