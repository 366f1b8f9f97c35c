internal import BluejayGLib

/// A central that follows a script, for testing programs that are peripherals.
///
/// ```swift
/// let phone = SimulatedCentral(address: "C0:FF:EE:00:00:01")
/// world.add(phone)
/// phone.play([.connect, .subscribe("2A37"), .expect("2A37", count: 3), .disconnect]) {
///     report in
///     print(report.values, report.failures)
/// }
/// ```
///
/// To the peripheral it looks like a phone: a connected `Device1` object that calls the peripheral's objects
/// and subscribes. Scripts are played one after the other, in simulated time. After it was added to a world,
/// it belongs to the simulator's thread. A malformed address ends the test program.
public final class SimulatedCentral: RadioPeer {
    private(set) var address: RadioAddress
    private(set) var identity: RadioAddress?
    /// The device name in its Generic Access service.
    public let name: String?
    /// The largest ATT packet it accepts, 23 to 517 bytes; takes effect at the next connection.
    public var mtu = 517 {
        didSet { mtu = min(517, max(23, mtu)) }
    }
    /// Whether it pairs when a value requires it.
    public var acceptsPairing = true
    /// Its behaviour during pairing.
    public var pairing = SimulatedPairing.justWorks

    /// Whether it accepts the values sent to it.
    ///
    /// While false, the last 10,000 values wait at the end of its link; they are lost with the link.
    public var takesValues: Bool {
        get { inboxes.acceptsValues }
        set {
            inboxes.acceptsValues = newValue
            if newValue { link?.scriptedClient.deliverHeldValues() }
        }
    }

    /// Called with the full UUID of the characteristic and each received value.
    public var onValue: ((String, [UInt8]) -> Void)?
    /// Called with the name of the characteristic in a `read` step, and the value.
    public var onRead: ((String, [UInt8]) -> Void)? {
        get { player.onRead }
        set { player.onRead = newValue }
    }
    /// Called after connecting (true) and after the end of its link (false).
    public var onConnectionChange: ((Bool) -> Void)?
    /// Called when a step has ended, with its error if it failed.
    public var onStep: ((CentralStep, CentralError?) -> Void)? {
        get { player.onStep }
        set { player.onStep = newValue }
    }

    private(set) weak var world: SimulatedWorld?
    private(set) var link: CentralLink?
    private lazy var player = CentralPlayer { [weak self] in self?.perform($0, in: $1) }
    private var inboxes = CentralInboxes()
    private var isInRange = true
    private(set) var database: AttributeDatabase
    /// The adapters whose services it has discovered before.
    private var known: Set<String> = []

    /// Creates an idle central.
    ///
    /// - Parameters:
    ///   - address: For example `C0:FF:EE:00:00:01`.
    ///   - isRandom: Whether the address is random rather than public.
    ///   - name: The device name in its Generic Access service.
    public init(address: String, isRandom: Bool = true, name: String? = nil) {
        self.address = Self.read(address, isRandom: isRandom)
        self.name = name
        database = AttributeDatabase()
        _ = database.add(BuiltInServices.access([], appearance: 0).description)
        _ = database.add(BuiltInServices.attribute(seed: address).description)
    }

    // MARK: State

    /// Whether the central is connected.
    public var isConnected: Bool { link != nil }
    /// Whether it has keys shared with the adapter; false without a link.
    public var isPaired: Bool { link?.scriptedClient.isPaired ?? false }

    /// The last 10,000 values received from a characteristic, in order.
    public func values(of characteristic: String) -> [[UInt8]] {
        inboxes.inbox(characteristic).history.last
    }

    /// The total number of values received from a characteristic.
    public func valueCount(of characteristic: String) -> Int {
        inboxes.inbox(characteristic).history.count
    }

    // MARK: Playing

    /// Plays a script after the scripts queued before it.
    ///
    /// - Parameters:
    ///   - steps: The steps of the script.
    ///   - done: Called once: at the end, by ``stop()``, or when the world ends.
    public func play(
        _ steps: [CentralStep],
        done: @escaping (CentralReport) -> Void = { _ in }
    ) {
        player.play(steps, completion: done)
    }

    /// Ends all scripts; the link stays.
    public func stop() {
        player.stop()
    }

    // MARK: Range and address

    /// Moves out of range: the link is lost, and the central cannot connect until ``returnToRange()``.
    public func leaveRange() {
        isInRange = false
        link?.close(.timedOut)
    }

    /// Moves back into range.
    public func returnToRange() {
        isInRange = true
        tryConnecting()
    }

    /// Sets the identity of a private address: an adapter that has paired with the central uses it as the
    /// address.
    public func setIdentity(_ address: String, isRandom: Bool = false) {
        identity = Self.read(address, isRandom: isRandom)
    }

    /// Changes the private address; takes effect at the next connection.
    public func changeAddress(to address: String) {
        self.address = Self.read(address, isRandom: true)
    }

    func join(_ world: SimulatedWorld) {
        self.world = world
        player.join(world)
        player.continueOnNextIteration()
    }

    /// Leaves the world: the link and the scripts end.
    func leaveWorld() {
        link?.close(.timedOut)
        player.stop()
        player.join(nil)
        world = nil
    }

    // MARK: The link

    /// Connects if the adapter that a `connect` waits for is advertising.
    func tryConnecting() {
        guard case .connection(let number)? = player.awaitedEvent, !player.isScheduled,
            let world, adapter(number, in: world) != nil
        else { return }
        player.continueStep(RecordedDelays.linkSetup) { [weak self] in
            guard let self, let world = self.world, let adapter = adapter(number, in: world) else {
                return
            }
            open(to: adapter, in: world)
        }
    }

    private func adapter(_ number: Int?, in world: SimulatedWorld) -> Adapter? {
        guard isInRange, world.bus.connection != nil else { return nil }
        return world.medium.adapters.lazy.compactMap { $0 as? Adapter }.first { adapter in
            adapter.acceptsLinks && (number.map { adapter.name == "hci\($0)" } ?? true)
        }
    }

    private func open(to adapter: Adapter, in world: SimulatedWorld) {
        let link = SimulatedLink(central: self, peer: adapter, in: world)
        self.link = CentralLink(link, of: self, to: adapter, in: world)
        player.endWait()
        adapter.linkOpened(link)
        onConnectionChange?(true)
        // Service discovery; an adapter connected before has known services.
        let isNew = known.insert(adapter.name).inserted
        player.continueStep(isNew ? RecordedDelays.resolveNew : RecordedDelays.resolveKnown) {
            [weak self] in
            self?.player.finish(.success(()), .immediately)
        }
    }

    func received(_ uuid: String, _ value: [UInt8]) {
        inboxes.append(value, uuid)
        if case .values(_, uuid, let count)? = player.awaitedEvent,
            inboxes[uuid].pendingCount >= count
        {
            finishExpecting()
        }
        onValue?(uuid, value)
    }

    /// Ends an `expect` with its values, or fails it with those received so far.
    private func finishExpecting() {
        guard case .values(let name, let uuid, let count)? = player.awaitedEvent else { return }
        let isWhole = inboxes[uuid].pendingCount >= count
        let values = inboxes.removeOldest(count, of: uuid)
        for value in values { player.recordValue(value) }
        player.finish(
            isWhole
                ? .success(())
                : .failure(.missed(name, came: values.count, expected: count))
        )
    }

    // MARK: Steps

    private func perform(_ step: CentralStep, in world: SimulatedWorld) {
        switch step {
        case .connect: connect(to: nil, within: .seconds(30))
        case .connectTo(let adapter, let timeout): connect(to: adapter, within: timeout)
        case .wait(let duration):
            player.continueStep(duration) { [weak self] in
                self?.player.finish(.success(()), .immediately)
            }
        case .expect(let name, let count, let timeout):
            expect(name, count, within: timeout)
        case .disconnect: end(.byRemoteHost)
        case .loseLink: end(.timedOut)
        case .repeat, .forever: player.finish(.success(()))
        case .pair, .read, .write, .prepare, .execute, .cancelPrepared, .subscribe, .unsubscribe:
            guard let link else { return player.finish(.failure(.notConnected)) }
            player.failIfLinkEnds()
            request(step, of: link)
        }
    }

    private func connect(to adapter: Int?, within timeout: Duration) {
        guard link == nil else { return player.finish(.success(())) }
        player.wait(for: .connection(adapter: adapter), within: timeout) { [weak self] in
            self?.player.finish(.failure(.nobodyAdvertises))
        }
        tryConnecting()
    }

    private func end(_ reason: SimulatedDisconnectReason) {
        link?.close(reason)
        player.finish(.success(()))
    }

    private func expect(_ name: String, _ count: Int, within timeout: Duration) {
        let last = name.split(separator: "/").last.map(String.init) ?? name
        guard let uuid = UUIDText.long(last) else {
            return player.finish(.failure(.notFound(name)))
        }
        player.wait(for: .values(name: name, uuid: uuid, count: count), within: timeout) {
            [weak self] in
            self?.finishExpecting()
        }
        if inboxes[uuid].pendingCount >= count { finishExpecting() }
    }

    // MARK: Requests

    private func request(_ step: CentralStep, of link: CentralLink) {
        switch step {
        case .pair: pair(link)
        case .read(let name): find(name, link) { read($0.valueHandle, of: link) }
        case .write(let name, let value, let way):
            find(name, link) { write($0.valueHandle, value, way, to: link) }
        case .prepare(let name, let value, let offset):
            find(name, link) {
                send(.prepare(handle: $0.valueHandle, value: value, offset: offset), to: link)
            }
        case .execute: send(.execute(writes: true), to: link)
        case .cancelPrepared: send(.execute(writes: false), to: link)
        case .subscribe(let name, let kind):
            find(name, link) {
                let visible = CharacteristicFlags.visible($0.flags)
                let notifies = kind == .notificationsFirst && visible.contains("notify")
                send(
                    .configure(
                        handle: $0.valueHandle,
                        notifies ? .notifications : .indications
                    ),
                    to: link
                )
            }
        case .unsubscribe(let name):
            find(name, link) { send(.configure(handle: $0.valueHandle, .nothing), to: link) }
        default: player.finish(.success(()))
        }
    }

    private func find(
        _ name: String,
        _ link: CentralLink,
        _ use: (AttributeDatabase.Characteristic) -> Void
    ) {
        guard let found = link.scriptedClient.characteristic(name) else {
            return player.finish(.failure(.notFound(name)))
        }
        use(found)
    }

    private func pair(_ link: CentralLink) {
        guard !link.scriptedClient.isPaired else { return player.finish(.success(())) }
        guard let number = player.currentStepID else { return }
        link.scriptedClient.encrypt { [weak self] isPaired in
            self?.player.finish(stepID: number, isPaired ? .success(()) : .failure(.notPaired))
        }
    }

    // If the link ends, `linkEnded` fails the step.
    private func send(
        _ request: ATTRequest,
        to link: CentralLink,
        then: (([UInt8]) -> Void)? = nil
    ) {
        guard let number = player.currentStepID else { return }
        link.client.send(request) { [weak self] result in
            guard let self, self.link === link, player.currentStepID == number else { return }
            switch result {
            case .failure where link.client.hasTimedOut: player.finish(.failure(.noAnswer))
            case .failure(let error): player.finish(.failure(.refused(error.code)))
            case .success(let bytes):
                if let then { return then(bytes) }
                // bluetoothd calls the application after its answer, hence the short delay.
                if case .configure = request { return player.finish(.success(()), .afterPause) }
                player.finish(.success(()), .immediately)
            }
        }
    }

    /// Reads further parts while an answer fills its packet (Vol 3, Part G, 4.8.3).
    private func read(_ handle: UInt16, of link: CentralLink, _ before: [UInt8] = []) {
        send(.read(handle: handle, offset: before.count), to: link) { [weak self] bytes in
            let room = link.client.mtu - 1
            let value = before + bytes.prefix(room)
            guard bytes.count >= room, value.count < 512 else {
                self?.player.recordRead(value)
                self?.player.finish(.success(()), .immediately)
                return
            }
            self?.read(handle, of: link, value)
        }
    }

    private func write(
        _ handle: UInt16,
        _ value: [UInt8],
        _ way: CentralWrite,
        to link: CentralLink
    ) {
        let room = link.client.mtu - 3
        switch way {
        case .withoutResponse where value.count > room:
            player.finish(.failure(.tooLong(length: value.count, limit: room)))
        case .withoutResponse:
            link.client.send(command: handle, value)
            player.finish(.success(()), .inProgress)
        case .withResponse where value.count <= room:
            send(.write(handle: handle, value: value, offset: 0), to: link)
        case .withResponse, .long: writeLong(handle, value, from: 0, to: link)
        }
    }

    private func writeLong(
        _ handle: UInt16,
        _ value: [UInt8],
        from offset: Int,
        to link: CentralLink
    ) {
        let piece = Array(value.dropFirst(offset).prefix(link.client.mtu - 5))
        guard !piece.isEmpty || offset == 0 else {
            return send(.execute(writes: true), to: link)
        }
        send(.prepare(handle: handle, value: piece, offset: offset), to: link) {
            [weak self] _ in
            guard !piece.isEmpty else { return self?.send(.execute(writes: true), to: link) ?? () }
            self?.writeLong(handle, value, from: offset + piece.count, to: link)
        }
    }

    // MARK: RadioPeer

    var advertisements: [AdvertisingData] { [] }
    var acceptsLinks: Bool { false }
    func signalStrength(at receiver: any RadioPeer) -> Int16 { 127 }

    func peerChanged(_ peer: any RadioPeer) {
        if peer is Adapter { tryConnecting() }
    }
    var bearerCount: Int { 1 }
    var answersDiscovery: Bool { true }
    var deviceName: String? { name }
    var modalias: String? { nil }

    func linkOpened(_ link: SimulatedLink) {}

    func linkClosed(_ link: SimulatedLink) {
        guard let ended = self.link, ended.scriptedClient.link === link else { return }
        self.link = nil
        ended.client.close()
        player.linkEnded()
        onConnectionChange?(false)
    }

    // Only bluetoothd itself reads the central's services.
    func perform(
        _ request: ATTRequest,
        from client: ATTClient,
        completion: @escaping (ATTResult) -> Void
    ) {
        switch request {
        case .read: completion(.success(Array((name ?? "").utf8)))
        default: completion(.failure(.requestNotSupported))
        }
    }

    func clientDisconnected(_ client: ATTClient) {}

    private static func read(_ address: String, isRandom: Bool) -> RadioAddress {
        // An error in the test's script, which no peer or program under test can cause.
        guard let read = RadioAddress(address, isRandom ? .random : .public) else {
            preconditionFailure("\(address) is not an address like C0:FF:EE:00:00:01")
        }
        return read
    }
}
