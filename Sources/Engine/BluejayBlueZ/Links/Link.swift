package import BluejayCore
package import BluejayDBus
internal import BluejayGLib
internal import BluejayTables
internal import FoundationEssentials

/// The link to one device over one adapter, shared by its users.
///
/// It performs what `LinkMachine` decides: brought up by the first `connect`, cut when its last user
/// leaves. Each user waits under a time limit of its own; what is pending in bluetoothd is taken back
/// before a user hears that it has failed, so that the next attempt finds nothing in its way.
package final class Link {
    /// The address that the device has now: pairing replaces a private one.
    package internal(set) var address: DeviceAddress
    package let adapter: ObjectPath
    /// The device object; nil while bluetoothd does not know the device.
    package internal(set) var path: ObjectPath? {
        didSet { if path != oldValue { observe() } }
    }

    let client: BlueZClient
    let engine: BlueZEngine
    let arbiter: ScanArbiter
    let log: Log
    var machine = LinkMachine()
    /// How many have it that are no users, such as channels that the peer opened.
    var holds = 0 {
        didSet { machine.isHeld = holds > 0 }
    }
    var table = AttributeTable()
    var requests = LinkRequests()
    /// What carries values past the bus.
    var sockets = LinkSockets()
    var readTimer: ScheduledTimer?
    var lingerTimer: ScheduledTimer?
    private(set) lazy var pairing = LinkPairing(self)
    private var leases: [LinkMachine.User: WeakLease] = [:]
    /// Those that wait for the link to be cut, whoever lets them go.
    private var leaving: [LinkMachine.User: LinkLease] = [:]
    private var lastUser = 0
    let actions = ActionQueue<LinkMachine.Action>()
    /// For what is under way when the link may have gone.
    private(set) lazy var reference = LinkReference(self)
    var observation: Observation?
    private var connectTimer: ScheduledTimer?
    private var leaveTimer: ScheduledTimer?
    private(set) var discovery: ScanLease?
    /// The `Connect` that the scans of this process make way for.
    private var dialling: Int?
    private var isKept = false
    /// Whether completions have to wait for the next turn.
    var answersLater = false
    /// Why bluetoothd says that the link goes.
    var reason: String?
    /// Services that have gone, until the users hear of it.
    var vanished: [ServiceIdentifier] = []
    var isReadingServices = false
    /// What the users know as the ATT MTU.
    var lastMTU: Int?

    /// `Disconnect` waits two seconds by itself before it cuts the link.
    static let disconnectTime = Duration.seconds(10)

    init(_ address: DeviceAddress, adapter: ObjectPath, engine: BlueZEngine) {
        self.address = address
        self.adapter = adapter
        self.engine = engine
        client = engine.client
        log = Log("bluejay.link", to: engine.client.logHub, ["device": "\(address)"])
        arbiter = engine.arbiter(adapter)
        path = client.objects.device(address, of: adapter)
        observe()
    }

    /// Whether the link is up and its services are known.
    package var isUp: Bool { machine.isUp }

    /// Whether a `Connect` of this program made the link.
    package var isDialled: Bool { machine.isDialled }

    /// What bluetoothd tells of the device; nil while it does not know it.
    package var device: Device1? { path.flatMap { client.objects.device(at: $0) } }

    /// The name the device has now.
    package var name: String? { device?.name }

    /// The services, in the order of their handles; empty while the link is down.
    package var services: [RemoteService] { isUp ? table.services : [] }

    /// A characteristic of the link.
    package func characteristic(_ identifier: CharacteristicIdentifier) -> RemoteCharacteristic? {
        isUp ? table.characteristic(identifier) : nil
    }

    /// Whether the device has a service.
    package func has(_ service: ServiceIdentifier) -> Bool { isUp && table.has(service) }

    /// The last signal strength in dBm, while a discovery knows one.
    ///
    /// BlueZ has no call for the signal strength of a link.
    package var rssi: Int? { device?.rssi }

    // MARK: Users

    /// Joins the link, bringing it up when it is down.
    ///
    /// - Parameters:
    ///   - limit: How long it may take; then it is taken back, and fails with `timedOut`. Nil is as long as
    ///     bluetoothd takes: 41 s for one that is not there, and for ever for one that it does not know.
    ///   - completion: Called once, in a later turn.
    /// - Returns: The share; `cancel` and its `release` end it.
    package func connect(
        within limit: Duration? = nil,
        _ completion: @escaping (Result<Void, LinkFailure>) -> Void
    ) -> LinkLease {
        lastUser += 1
        let lease = LinkLease(self, lastUser)
        lease.whenUp = completion
        lease.connectTimer = limit.map { limit in
            client.clock.schedule(after: limit) { [weak self, weak lease] in
                if let self, let lease { cancel(lease, .timedOut) }
            }
        }
        leases[lease.user] = WeakLease(lease)
        let user = lease.user
        client.clock.later { [weak self, weak lease] in
            // It may have been taken back.
            guard let self, lease != nil, leases[user] != nil else { return }
            perform(machine.join(user))
        }
        return lease
    }

    /// Takes back a `connect` that has not completed; it completes with `failure` when nothing of it is
    /// pending any more.
    package func cancel(_ lease: LinkLease, _ failure: LinkFailure) {
        perform(machine.withdraw(lease.user, failure, cutting: lease.cutting))
        // It had not joined yet.
        if !machine.knows(lease.user), let completion = lease.whenUp {
            lease.whenUp = nil
            leases[lease.user] = nil
            client.clock.later { completion(.failure(failure)) }
        }
    }

    /// Releases the lease and cuts the link if no other lease uses it.
    package func disconnect(_ lease: LinkLease, _ completion: @escaping () -> Void) {
        lease.release(cutting: .always, completion)
    }

    func release(_ lease: LinkLease, _ cutting: LinkCut, _ completion: @escaping () -> Void) {
        lease.onEnd = nil
        pairing.left(lease.user)
        leaving[lease.user] = lease
        let actions = machine.leave(lease.user, cutting: cutting, now: client.clock.now)
        // Never inside this call.
        let clock = client.clock
        lease.whenDown =
            actions.contains(.left(lease.user)) ? { clock.later(completion) } : completion
        perform(actions)
    }

    func forget(_ user: LinkMachine.User, _ cutting: LinkCut) {
        leases[user] = nil
        pairing.left(user)
        // Whoever lets a lease go is in the middle of that: nothing is called back before it has gone.
        answersLater = true
        perform(machine.forget(user, cutting: cutting, now: client.clock.now))
        answersLater = false
    }

    // MARK: Performing

    func perform(_ new: [LinkMachine.Action]) {
        let told = machine.progressed()
        actions.perform(told.isEmpty ? new : told + new) { perform($0) }
        if !machine.isUp { endSockets() }
        // What is under way goes on without its users.
        guard isKept == machine.isIdle else { return }
        isKept = !machine.isIdle
        engine.keep(self, while: isKept)
    }

    func perform(_ action: LinkMachine.Action) {
        switch action {
        case .proceed:
            let situation = look()
            guard !isBeingForgotten else { return }
            perform(machine.proceed(situation, now: client.clock.now))
        case .connecting(let action): perform(action)
        case .cameUp: cameUp()
        case .disconnect(let call): disconnect(call)
        case .setLeaveTimer(let delay):
            leaveTimer = delay.map { delay in
                client.clock.schedule(after: delay) { [weak self] in
                    guard let self else { return }
                    perform(machine.leaveTimeIsOver())
                }
            }
        case .attributes(let action): perform(action)
        case .progress(let user, let progress): leases[user]?.lease?.onProgress?(progress)
        case .joined(let user): complete(user, .success(()))
        case .refused(let user, let failure):
            endAttempt()
            complete(user, .failure(failure))
            leases[user] = nil
        case .left(let user):
            let lease = leaving.removeValue(forKey: user)
            leases[user] = nil
            let completion = lease?.whenDown
            lease?.whenDown = nil
            completion?()
        case .ended(let user, let end):
            let lease = leases.removeValue(forKey: user)?.lease
            let onEnd = lease?.onEnd
            lease?.onEnd = nil
            onEnd?(end)
        }
    }

    private func complete(_ user: LinkMachine.User, _ result: Result<Void, LinkFailure>) {
        guard let lease = leases[user]?.lease, let completion = lease.whenUp else { return }
        lease.whenUp = nil
        lease.connectTimer = nil
        completion(result)
    }

    // MARK: Coming up

    /// Whether a call of ours is under way that takes the device, and a link with it.
    private var isBeingForgotten: Bool { path.map { engine.removals[$0] != nil } ?? false }

    /// It is not being forgotten any more: who waits has its turn.
    func removalEnded() { perform([.proceed]) }

    private func look() -> LinkMachine.Situation {
        let objects = client.objects
        path = objects.device(address, of: adapter)
        reason = nil
        guard let path else {
            return LinkMachine.Situation(isAdapterOn: objects.adapterState(adapter) == .on)
        }
        return LinkMachine.Situation(
            isAdapterOn: objects.adapterState(adapter) == .on,
            isKnown: true,
            isConnected: objects.isConnected(path),
            services: objects.isResolved(path) ? foundServices : nil,
            isStale: client.staleLinks.contains(path),
            jitter: .milliseconds(Int.random(in: 0...250))
        )
    }

    func attempt(_ event: (inout ConnectMachine) -> [ConnectMachine.Action]) {
        perform(machine.attempt(event))
    }

    private func perform(_ action: ConnectMachine.Action) {
        let clock = client.clock
        switch action {
        case .discover: discover()
        case .endDiscovery: discovery = nil
        case .callConnect(let call): callConnect(call)
        case .callDisconnect(let call):
            endAttempt()
            callDisconnect { link in link.attempt { $0.disconnectReplied(call) } }
        case .readDevice(let call):
            guard let path else { return }
            client.refresh(device: path) { [weak self] in self?.refreshed(call) }
        case .readObjects(let call): client.refresh { [weak self] in self?.refreshed(call) }
        case .check(let call): check(call)
        case .setTimer(let instant):
            connectTimer = instant.map { instant in
                clock.schedule(after: instant - clock.now) { [weak self] in
                    self?.attempt { $0.timerFired(now: clock.now) }
                }
            }
        case .finish: break
        }
    }

    private func refreshed(_ call: Int) {
        attempt { $0.refreshed(call, foundServices, now: client.clock.now) }
    }

    private func discover() {
        discovery = arbiter.scan(ScanWish()) { [weak self] report in
            guard let self, report.address == address, path == nil else { return }
            path = report.path
            attempt { $0.appeared(now: self.client.clock.now) }
        } failed: { [weak self] failure in
            self?.attempt { $0.searchFailed(.bluez(failure)) }
        }
    }

    private func callConnect(_ call: Int) {
        guard let path else { return attempt { $0.removed(now: client.clock.now) } }
        if client.objects.isConnected(path) {
            // Calling it on a connected device may try the other kind of radio.
            let services = client.objects.isResolved(path) ? foundServices : nil
            let isStale = client.staleLinks.contains(path)
            return attempt {
                $0.found(call, services: services, isStale: isStale, now: client.clock.now)
            }
        }
        dialling = call
        log.debug("bluetoothd is asked to connect", ["path": path.text])
        arbiter.attemptBegan()
        // The answer keeps the link: if the attempt is over by then, nobody else cuts what came up.
        client.call(Device1.connect(path), timeout: .seconds(60)) { [self] result in
            note(result)
            if dialling == call { endDial() }
            let reply = ConnectMachine.Reply(result)
            attempt { $0.replied(call, reply, now: client.clock.now) }
            guard reply == .accepted, machine.isIdle else { return }
            perform(machine.connectedLate(look(), now: client.clock.now))
        }
    }

    private func endDial() {
        guard dialling != nil else { return }
        dialling = nil
        arbiter.attemptEnded()
    }

    private func endAttempt() {
        discovery = nil
        endDial()
    }

    private func cameUp() {
        connectTimer = nil
        endAttempt()
        updateServices()
        lastMTU = toldMTU
        log.debug("the link is up", ["services": "\(table.services.count)"])
        for characteristic in path.map(engine.takeLeftOver) ?? [] { stopLeftOver(characteristic) }
    }

    // MARK: Going down

    private func disconnect(_ call: Int) {
        callDisconnect { link in
            let isConnected = link.path.map { link.client.objects.isConnected($0) } ?? false
            link.perform(link.machine.disconnectReplied(call, isConnected: isConnected))
        }
    }

    private func callDisconnect(_ replied: @escaping (Link) -> Void) {
        guard let path else {
            return client.clock.later { [weak self] in if let self { replied(self) } }
        }
        whenAllIsRead(until: client.clock.now + LinkSockets.lingering) { [self] in
            log.debug("bluetoothd is asked to disconnect", ["path": path.text])
            client.call(Device1.disconnect(path), timeout: Self.disconnectTime) { [weak self] _ in
                if let self { replied(self) }
            }
        }
    }

    var activeLeases: [LinkLease] {
        leases.sorted { $0.key < $1.key }.compactMap(\.value.lease)
            .filter { machine.isMember($0.user) }
    }
}

/// A weak reference that many closures share: one of its own costs each of them a further allocation.
final class LinkReference {
    private(set) weak var link: Link?
    init(_ link: Link) { self.link = link }
}

private final class WeakLease {
    weak var lease: LinkLease?
    init(_ lease: LinkLease) { self.lease = lease }
}
