internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import Foundation

/// What of a server any thread may read.
struct ServerState: Swift.Sendable {
    var hasStarted = false
    var bluetoothState: BluetoothState = .unknown
    var isAdvertising = false
    var connectedDevices: [PeripheralIdentifier] = []
}

/// Follows bluetoothd for a `GATTServer` and keeps its services and its advertisement registered.
// It is used on the server's main loop only, but for `shown`.
final class ServerRunner: @unchecked Swift.Sendable {
    var onStateChange: ((BluetoothState) -> Void)?
    var onConnectionChange: ((PeripheralIdentifier, Bool) -> Void)?
    var onServiceEnded: ((LocalService, GATTServerError) -> Void)?
    var onAdvertisingEnded: ((GATTServerError?) -> Void)?

    /// The state for any thread; what is set here is seen by the callbacks that tell of it.
    let shown = Snapshot(ServerState())
    /// What the user was told last.
    private(set) var bluetoothState: BluetoothState = .unknown {
        didSet { shown.value.bluetoothState = bluetoothState }
    }
    private(set) var services: [ServicePublication] = []
    private(set) var advertisement: AdvertisementPublication?
    /// Advertisements that are being taken back.
    private var endingAdvertisements: [AdvertisementPublication] = []

    private let makeClient: () -> BlueZClient
    private let choice: AdapterChoice
    private var selector: AdapterSelector
    /// What the selector has ordered and is not done yet.
    private var orders: [AdapterSelector.Action] = []
    private var isPerforming = false
    /// The calls of `stop` that are under way; nil when there is none.
    private var stops: [() -> Void]?
    private var startsAgain = false
    private var client: BlueZClient? {
        didSet { shown.value.hasStarted = client != nil }
    }
    private var hub: ExportHub?
    private var observation: Observation?
    private var connected: [ObjectPath: PeripheralIdentifier] = [:] {
        didSet { shown.value.connectedDevices = Array(connected.values) }
    }

    init(choice: AdapterChoice, makeClient: @escaping () -> BlueZClient) {
        self.choice = choice
        self.makeClient = makeClient
        selector = AdapterSelector(choice)
    }

    func begin() {
        guard stops == nil else { return startsAgain = true }
        guard client == nil else { return }
        let client = makeClient()
        self.client = client
        hub = ExportHub.shared(by: client)
        observation = client.observe { [weak self] in self?.receive($0) }
        followAdapters()
    }

    /// Takes everything back, and then ends.
    func stop(completion: @escaping () -> Void) {
        startsAgain = false
        if stops != nil {
            stops?.append(completion)
            return
        }
        stops = [completion]
        let countdown = Countdown { self.stopped() }
        countdown.await { done in stopAdvertising(completion: done) }
        for ending in endingAdvertisements {
            countdown.await { done in ending.publication?.withdraw(completion: done) ?? done() }
        }
        for service in services {
            countdown.await { done in service.publication?.withdraw(completion: done) ?? done() }
        }
        countdown.start()
    }

    private func stopped() {
        end()
        let completions = stops ?? []
        let isWantedAgain = startsAgain
        stops = nil
        startsAgain = false
        for completion in completions { completion() }
        if isWantedAgain { begin() }
    }

    private func end() {
        observation = nil
        setConnected([:])
        selector = AdapterSelector(choice)
        orders = []
        hub = nil
        client = nil
        bluetoothState = .unknown
    }

    /// Withdraws everything without waiting, when the server is released.
    func shutDown() {
        onStateChange = nil
        onConnectionChange = nil
        for service in services { service.publication?.shutDown() }
        for advertisement in endingAdvertisements + [advertisement].compactMap({ $0 }) {
            advertisement.publication?.shutDown()
        }
        end()
    }

    // MARK: Services

    func add(_ service: LocalService, completion: @escaping Publication.Completion) {
        do {
            try ServiceRules.check(service)
            try checkNotAdded(service)
        } catch {
            return completion(.failure(error))
        }
        // What is added while all is taken back would stay behind.
        guard let client, let hub, stops == nil else {
            return completion(.failure(GATTServerError.bluetoothUnavailable(.unknown)))
        }
        let path = hub.freshPath("application")
        let published = ServicePublication(service, at: path, client: client)
        let publication = publication(of: published, client, hub)
        published.publication = publication
        service.publication = published
        services.append(published)
        publication.onEnded = { [weak self] error in
            if let error { self?.onServiceEnded?(service, error) }
        }
        publication.onDisposed = { [weak self, weak published] in
            service.publication = nil
            published?.detach()
            self?.services.removeAll { $0 === published }
            published?.publication = nil
            self?.pin()
        }
        begin(publication, completion)
    }

    func remove(_ service: LocalService, completion: @escaping Publication.Completion) {
        guard let publication = service.publication?.publication else {
            return completion(.failure(GATTServerError.notAdded(service.uuid)))
        }
        publication.withdraw { completion(.success(())) }
    }

    func notify(_ value: Data, on characteristic: LocalCharacteristic) throws -> Bool {
        let value = try AttributeValue.checked(value)
        guard !characteristic.properties.isDisjoint(with: .subscribing) else {
            throw GATTServerError.notSubscribable(characteristic.uuid)
        }
        guard let published = characteristic.published,
            let service = services.first(where: { $0.contains(published) })
        else { throw GATTServerError.notAdded(characteristic.uuid) }
        characteristic.value = value
        guard characteristic.isSubscribed, let objects = service.publication?.exportedOn else {
            return false
        }
        published.send(value, on: objects)
        return true
    }

    private func checkNotAdded(_ service: LocalService) throws {
        if service.isAdded { throw GATTServerError.alreadyAdded(service.uuid) }
        var seen: Set<ObjectIdentifier> = []
        for characteristic in service.characteristics {
            let isNew = seen.insert(ObjectIdentifier(characteristic)).inserted
            guard isNew, characteristic.published == nil else {
                throw GATTServerError.alreadyAdded(characteristic.uuid)
            }
        }
    }

    // MARK: Advertising

    func startAdvertising(
        _ advertisement: LocalAdvertisement,
        completion: @escaping Publication.Completion
    ) {
        do {
            try AdvertisementLayout.check(advertisement)
        } catch {
            return completion(.failure(error))
        }
        guard self.advertisement == nil else {
            return completion(.failure(GATTServerError.alreadyAdvertising))
        }
        // What is added while all is taken back would stay behind.
        guard let client, let hub, stops == nil else {
            return completion(.failure(GATTServerError.bluetoothUnavailable(.unknown)))
        }
        let path = hub.freshPath("advertisement")
        let published = AdvertisementPublication(advertisement, at: path, clock: client.clock)
        let publication = publication(of: published, client, hub)
        published.publication = publication
        self.advertisement = published
        publication.onRegistration = { [weak self] in self?.showAdvertising() }
        publication.onEnded = { [weak self] in self?.onAdvertisingEnded?($0) }
        publication.onDisposed = { [weak self, weak published] in
            if self?.advertisement === published { self?.advertisement = nil }
            self?.endingAdvertisements.removeAll { $0 === published }
            published?.publication = nil
            self?.pin()
        }
        begin(publication, completion)
    }

    func stopAdvertising(completion: @escaping () -> Void) {
        guard let ending = advertisement, let publication = ending.publication else {
            return completion()
        }
        // A new one may start at once: bluetoothd takes both calls in their order.
        advertisement = nil
        showAdvertising()
        endingAdvertisements.append(ending)
        publication.withdraw(completion: completion)
    }

    private func publication(
        of subject: any Publishable,
        _ client: BlueZClient,
        _ hub: ExportHub
    ) -> Publication {
        Publication(subject, client: client, hub: hub) { [weak self] in
            self?.bluetoothState ?? .unknown
        }
    }

    private func showAdvertising() {
        shown.value.isAdvertising = advertisement?.publication?.isRegistered ?? false
    }

    private func begin(
        _ publication: Publication,
        _ completion: @escaping Publication.Completion
    ) {
        pin()
        publication.begin(
            at: selector.usableAdapter,
            isKnown: selector.isKnown,
            completion: completion
        )
    }

    private var publications: [Publication] {
        services.compactMap(\.publication) + [advertisement?.publication].compactMap { $0 }
            + endingAdvertisements.compactMap(\.publication)
    }

    // MARK: The adapter

    private func receive(_ event: BlueZClient.Event) {
        switch event {
        case .stateChanged: followAdapters()
        case .changed(let changes):
            guard client?.state == .running else { return }
            if changes.contains(where: Self.concernsAdapters) { followAdapters() }
            if changes.contains(where: Self.concernsConnections) { updateConnections() }
        case .disconnectReason: break
        }
    }

    private static func concernsAdapters(_ change: ObjectTree.Change) -> Bool {
        switch change {
        case .added(_, let interface), .removed(_, let interface), .changed(_, let interface, _, _):
            interface == BlueZ.adapter
        }
    }

    private static func concernsConnections(_ change: ObjectTree.Change) -> Bool {
        switch change {
        case .added(_, let interface), .removed(_, let interface): interface == BlueZ.device
        case .changed(_, let interface, let values, _):
            interface == BlueZ.device && values["Connected"] != nil
        }
    }

    private func followAdapters() {
        guard let client else { return }
        pin()
        for publication in publications {
            guard let adapter = publication.adapter else { continue }
            if client.objects.adapterState(adapter) == .absent { publication.lost() }
        }
        perform(selector.changed(client))
    }

    /// Keeps the adapter while something is registered there.
    private func pin() {
        perform(selector.setPinned(publications.contains(where: \.isInUse)))
    }

    // The user is called in between, and what he does may order more: it is done behind.
    private func perform(_ actions: [AdapterSelector.Action]) {
        orders += actions
        guard !isPerforming else { return }
        isPerforming = true
        while !orders.isEmpty { perform(orders.removeFirst()) }
        isPerforming = false
    }

    private func perform(_ action: AdapterSelector.Action) {
        switch action {
        case .release(let adapter, _):
            // Switched off it keeps what is registered, and tells of each link that it ends.
            if client?.objects.adapterState(adapter) ?? .absent == .absent { setConnected([:]) }
        case .use(let adapter):
            updateConnections()
            for publication in publications { publication.available(at: adapter) }
        case .tell(let state):
            bluetoothState = state
            if selector.isKnown, selector.usableAdapter == nil {
                for publication in publications { publication.unavailable() }
            }
            onStateChange?(state)
        }
    }

    // MARK: Centrals

    private func updateConnections() {
        guard let client, let adapter = selector.adapter else { return setConnected([:]) }
        let objects = client.objects
        var now: [ObjectPath: PeripheralIdentifier] = [:]
        for path in objects.paths(with: BlueZ.device, below: adapter)
        where objects.isConnected(path) {
            now[path] = connected[path] ?? objects.identifier(ofDevice: path)
        }
        setConnected(now)
    }

    private func setConnected(_ now: [ObjectPath: PeripheralIdentifier]) {
        let before = connected
        connected = now
        let left = before.filter { now[$0.key] == nil }
        for service in services {
            for path in left.keys { service.centralLeft(path.text) }
            if before.isEmpty != now.isEmpty { service.centralsChanged(areAny: !now.isEmpty) }
        }
        for identifier in left.values { onConnectionChange?(identifier, false) }
        for (path, identifier) in now where before[path] == nil {
            onConnectionChange?(identifier, true)
        }
    }
}
