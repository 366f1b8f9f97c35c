package import BluejayCore
package import BluejayDBus
internal import BluejayGLib
internal import Logging

/// The link to one device over one adapter, shared by its users.
///
/// It is brought up by the first `connect` and cut when its last user leaves. Each user waits under a
/// time limit of its own; what is pending in bluetoothd is taken back before a user hears that it has
/// failed, so that the next attempt finds nothing in its way.
package final class Link {
    private enum Phase {
        case down
        case connecting
        case up
        /// `Disconnect` is under way.
        case disconnecting
    }

    package let address: DeviceAddress
    package let adapter: ObjectPath
    /// The device object; nil while bluetoothd does not know the device.
    package private(set) var path: ObjectPath?

    let client: BlueZClient
    var operations = LinkOperations()
    // Holds what finds this link again, as long as the link lives.
    private let engine: BlueZEngine
    private let arbiter: ScanArbiter
    private var phase = Phase.down
    private var machine = ConnectMachine()
    private var timer: ScheduledTimer?
    private var discovery: ScanLease?
    private var isHoldingScans = false
    private var leases: [WeakLinkLease] = []
    private var observation: Observation?
    private var reason: String?
    private var disconnectTimer: ScheduledTimer?
    private var knownServices: [GATTService] = []
    private var isRereading = false
    private let log = Logger(label: "bluejay.link")

    /// `Disconnect` waits two seconds by itself before it cuts the link.
    static let disconnectTime = Duration.seconds(10)

    init(_ address: DeviceAddress, adapter: ObjectPath, engine: BlueZEngine) {
        self.address = address
        self.adapter = adapter
        self.engine = engine
        client = engine.client
        arbiter = engine.arbiter(adapter)
        path = client.objects.device(address, of: adapter)
        observation = client.observe { [weak self] in self?.receive($0) }
    }

    /// Whether the link is up and its services are known.
    package var isUp: Bool { phase == .up }

    /// The name the device has now.
    package var name: String? {
        path.flatMap { client.objects.value($0, BlueZ.device, "Name")?.text }
    }

    /// The services, in the order of their handles; empty while the link is down.
    package var services: [GATTService] {
        guard isUp, let path else { return [] }
        return client.objects.services(of: path)
    }

    // MARK: Users

    /// Joins the link, bringing it up when it is down.
    ///
    /// - Parameter completion: Called once, in a later turn.
    /// - Returns: The share; `cancel` and `disconnect` end it.
    package func connect(_ completion: @escaping (Result<Void, LinkFailure>) -> Void) -> LinkLease {
        let lease = LinkLease(self)
        lease.whenUp = completion
        leases.append(WeakLinkLease(lease))
        operations.later(client.clock) { [weak self] in self?.proceed() }
        return lease
    }

    /// Takes back a `connect` that has not completed; it completes with `failure` when nothing of it is
    /// pending any more.
    package func cancel(_ lease: LinkLease, _ failure: LinkFailure) {
        guard lease.whenUp != nil, lease.failure == nil else { return }
        lease.failure = failure
        guard !activeLeases.contains(where: { $0.failure == nil }), phase == .connecting else {
            return end(lease)
        }
        perform(machine.abandon())
    }

    /// Leaves the link; `completion` comes once, when it is down or others still use it.
    package func disconnect(_ lease: LinkLease, _ completion: @escaping () -> Void) {
        leases.removeAll { $0.lease === lease }
        lease.onEnd = nil
        guard activeLeases.isEmpty, phase == .up, let path else {
            operations.later(client.clock, completion)
            return
        }
        lease.whenDown = completion
        leases.append(WeakLinkLease(lease))
        keepAlive = lease
        phase = .disconnecting
        stopNotifying()
        let limit = Self.disconnectTime
        client.call(path, BlueZ.device, "Disconnect", timeout: limit) { [weak self] _ in
            self?.disconnectReplied()
        }
    }

    /// Leaves the link without cutting it, also when nobody else uses it: it is bluetoothd's from then
    /// on, until somebody takes it over with `connect`.
    package func leave(_ lease: LinkLease) {
        leases.removeAll { $0.lease === lease || $0.lease == nil }
        lease.onEnd = nil
        guard leases.isEmpty, phase == .up else { return }
        stopNotifying()
        failPending(.linkLost)
        phase = .down
    }

    // The lease of a disconnect lives until it has completed, whoever lets it go.
    private var keepAlive: LinkLease?

    private var activeLeases: [LinkLease] { leases.compactMap(\.lease) }

    func forgotten() {
        leases.removeAll { $0.lease == nil }
        guard leases.isEmpty else { return }
        if phase == .connecting { perform(machine.abandon()) }
        guard phase == .up, let path else { return }
        phase = .disconnecting
        failPending(.linkLost)
        // It lives until the link is down: who connects meanwhile has to wait for that.
        client.call(path, BlueZ.device, "Disconnect", timeout: Self.disconnectTime) { [self] _ in
            disconnectReplied()
        }
    }

    private func end(_ lease: LinkLease) {
        leases.removeAll { $0.lease === lease }
        let completion = lease.whenUp
        lease.whenUp = nil
        completion?(.failure(lease.failure ?? .cancelled))
    }

    // MARK: Coming up

    private func proceed() {
        let waiting = activeLeases.filter { $0.whenUp != nil && $0.failure == nil }
        guard !waiting.isEmpty else { return }
        switch phase {
        case .connecting, .disconnecting: return
        case .up: tellUp(waiting)
        case .down:
            guard client.objects.adapterState(adapter) == .on else {
                for lease in waiting { lease.failure = .unavailable; end(lease) }
                return
            }
            phase = .connecting
            machine = ConnectMachine()
            reason = nil
            path = client.objects.device(address, of: adapter)
            let objects = client.objects
            perform(
                machine.start(
                    known: path != nil,
                    connected: path.map(objects.isConnected) ?? false,
                    resolved: path.map(objects.isResolved) ?? false,
                    now: client.clock.now
                )
            )
        }
    }

    private func tellUp(_ waiting: [LinkLease]) {
        for lease in waiting {
            let completion = lease.whenUp
            lease.whenUp = nil
            completion?(.success(()))
        }
    }

    private func perform(_ actions: [ConnectMachine.Action]) {
        for action in actions { perform(action) }
    }

    private func perform(_ action: ConnectMachine.Action) {
        switch action {
        case .discover: discover()
        case .endDiscovery: discovery = nil
        case .callConnect: callConnect()
        case .callDisconnect:
            guard let path else { return perform(machine.disconnectReplied(now: client.clock.now)) }
            client.call(path, BlueZ.device, "Disconnect", timeout: Self.disconnectTime) {
                [weak self] _ in
                guard let self else { return }
                perform(machine.disconnectReplied(now: client.clock.now))
            }
        case .refreshObjects:
            client.refresh { [weak self] in
                guard let self else { return }
                let services = path.map { self.client.objects.services(of: $0) } ?? []
                perform(machine.refreshed(hasServices: !services.isEmpty, now: client.clock.now))
            }
        case .setTimer(let instant):
            timer = instant.map { instant in
                client.clock.schedule(after: instant - client.clock.now) { [weak self] in
                    guard let self else { return }
                    perform(machine.timerFired(now: client.clock.now))
                }
            }
        case .finish(let outcome): finish(outcome)
        }
    }

    private func discover() {
        discovery = arbiter.scan(uuids: nil, duplicates: false) { [weak self] report in
            guard let self, report.address == address else { return }
            path = report.path
            perform(machine.appeared(now: client.clock.now))
        } failed: { [weak self] _ in
            guard let self else { return }
            perform(machine.unavailable())
        }
    }

    private func callConnect() {
        guard let path else { return perform(machine.removed(now: client.clock.now)) }
        if client.objects.isConnected(path) {
            // Calling it on a connected device may try the other kind of radio.
            perform(machine.connected(true, now: client.clock.now))
            if client.objects.isResolved(path) { perform(machine.resolved()) }
            return
        }
        holdScans(true)
        // bluetoothd gives up after 41 s.
        client.call(path, BlueZ.device, "Connect", timeout: .seconds(60)) { [weak self] result in
            guard let self else { return }
            log.debug("Connect", metadata: ["result": "\(result)"])
            holdScans(false)
            perform(machine.replied(ConnectMachine.Reply(result), now: client.clock.now))
        }
    }

    private func holdScans(_ hold: Bool) {
        guard hold != isHoldingScans else { return }
        isHoldingScans = hold
        hold ? arbiter.suspend() : arbiter.resume()
    }

    private func finish(_ outcome: ConnectMachine.Outcome) {
        timer = nil
        discovery = nil
        holdScans(false)
        log.debug("link", metadata: ["outcome": "\(outcome)"])
        phase = outcome == .connected ? .up : .down
        knownServices = services
        let waiting = activeLeases.filter { $0.whenUp != nil }
        switch outcome {
        case .connected: tellUp(waiting.filter { $0.failure == nil })
        case .failed(let text): for lease in waiting { fail(lease, .failed(text)) }
        case .unpaired(let text): for lease in waiting { fail(lease, .pairing(text)) }
        case .unavailable: for lease in waiting { fail(lease, .unavailable) }
        case .abandoned:
            for lease in waiting where lease.failure != nil { end(lease) }
        }
        // Who came while it was being given up, or asked to leave when it had just come up.
        for lease in activeLeases where lease.failure != nil && lease.whenUp != nil { end(lease) }
        if phase == .up, leases.isEmpty { forgotten() }
        proceed()
    }

    private func fail(_ lease: LinkLease, _ failure: LinkFailure) {
        if lease.failure == nil { lease.failure = failure }
        end(lease)
    }

    // MARK: Going down

    private func disconnectReplied() {
        guard phase == .disconnecting else { return }
        guard let path, client.objects.isConnected(path) else { return down(.requested) }
        // `Connected` turns false after the reply; when it does not, it is said all the same.
        disconnectTimer = client.clock.schedule(after: .seconds(3)) { [self] in
            down(.requested)
        }
    }

    private func down(_ end: LinkEnd) {
        guard phase == .up || phase == .disconnecting else { return }
        let wasRequested = phase == .disconnecting
        phase = .down
        disconnectTimer = nil
        // The users hear of the end first: nothing begins because something before it has failed.
        let pending = operations.takeAll()
        endValues()
        let ended = activeLeases.filter { $0.whenUp == nil }
        leases.removeAll { $0.lease.map { $0.whenUp == nil } ?? true }
        keepAlive = nil
        for lease in ended {
            let completion = lease.whenDown
            lease.whenDown = nil
            completion?()
            if !wasRequested { lease.onEnd?(end) }
            lease.onEnd = nil
        }
        for operation in pending { operation.fail(end == .unavailable ? .daemonGone : .linkLost) }
        proceed()
    }

    // MARK: What bluetoothd tells

    private func receive(_ event: BlueZClient.Event) {
        switch event {
        case .stateChanged(let state):
            if state != .running { becameUnavailable() }
        case .disconnectReason(let device, let name, _):
            if device == path { reason = name }
        case .changed(let changes):
            for change in changes { receive(change) }
        }
    }

    private func becameUnavailable() {
        path = nil
        perform(machine.unavailable())
        down(.unavailable)
    }

    private func receive(_ change: ObjectTree.Change) {
        switch change {
        case .changed(adapter, BlueZ.adapter, _, _):
            if client.objects.adapterState(adapter) != .on { becameUnavailable() }
        case .removed(adapter, BlueZ.adapter): becameUnavailable()
        case .added(let device, BlueZ.device):
            guard path == nil, client.objects.device(address, of: adapter) == device else { return }
            path = device
            perform(machine.appeared(now: client.clock.now))
        case .removed(path, BlueZ.device):
            path = nil
            perform(machine.removed(now: client.clock.now))
            down(.lost(reason: reason))
        case .changed(path, BlueZ.device, let values, _): receive(values)
        case .removed(let object, BlueZ.gattCharacteristic): failPending(on: object, .gone)
        case .removed(let object, BlueZ.gattService), .added(let object, BlueZ.gattService):
            servicesChanged(object)
        case .added, .removed, .changed: break
        }
    }

    // When one signal carries both, the loss of the link wins.
    private func receive(_ values: ObjectTree.Properties) {
        if let isConnected = values["Connected"]?.boolean {
            perform(machine.connected(isConnected, now: client.clock.now))
            if !isConnected { down(.lost(reason: reason)) }
        }
        // It may have come before `Connected`, which is then known from the second reading only.
        guard values["ServicesResolved"] ?? values["Connected"] == .boolean(true), let path else {
            return
        }
        if client.objects.isResolved(path) { perform(machine.resolved()) }
    }

    // One change of the peer's database is many signals. Reading all objects puts an end behind them.
    private func servicesChanged(_ service: ObjectPath) {
        guard phase == .up, !isRereading, let path, service.isBelow(path) else { return }
        isRereading = true
        client.refresh { [weak self] in
            guard let self else { return }
            isRereading = false
            guard isUp else { return }
            let present = services
            let gone = knownServices.filter { known in !present.contains { $0.path == known.path } }
            knownServices = present
            for lease in activeLeases { lease.onServicesChanged?(gone.map(\.uuid)) }
        }
    }
}

private final class WeakLinkLease {
    weak var lease: LinkLease?
    init(_ lease: LinkLease) { self.lease = lease }
}
