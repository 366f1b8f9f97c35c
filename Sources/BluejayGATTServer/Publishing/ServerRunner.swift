internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import Foundation

/// Follows bluetoothd for a `GATTServer` and keeps its services and its advertisement registered.
// It is used on the server's main loop only.
final class ServerRunner: @unchecked Swift.Sendable {
    var onStateChange: ((BluetoothState) -> Void)?
    var onConnectionChange: ((PeripheralIdentifier, Bool) -> Void)?
    var onServiceEnded: ((LocalService, GATTServerError) -> Void)?
    var onAdvertisingEnded: ((GATTServerError?) -> Void)?

    private(set) var bluetoothState: BluetoothState = .unknown
    private(set) var services: [ServicePublication] = []
    private(set) var advertisement: AdvertisementPublication?
    /// Advertisements that are being taken back.
    private var endingAdvertisements: [AdvertisementPublication] = []

    private let makeClient: () -> BlueZClient
    private let choice: AdapterChoice
    private var client: BlueZClient?
    private var hub: ExportHub?
    private var observation: Observation?
    /// The adapter in use; kept until it is removed.
    private var adapter: ObjectPath?
    private var connected: [ObjectPath: PeripheralIdentifier] = [:]

    init(choice: AdapterChoice, makeClient: @escaping () -> BlueZClient) {
        self.choice = choice
        self.makeClient = makeClient
    }

    var hasStarted: Bool { client != nil }
    var connectedDevices: [PeripheralIdentifier] { Array(connected.values) }
    var isAdvertising: Bool { advertisement?.publication?.isRegistered ?? false }

    func begin() {
        guard client == nil else { return }
        let client = makeClient()
        self.client = client
        hub = ExportHub.shared(by: client)
        observation = client.observe { [weak self] in self?.receive($0) }
        update()
    }

    func end() {
        observation = nil
        setConnected([:])
        adapter = nil
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
        guard let client, let hub else {
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
        }
        publication.begin(adapter: usableAdapter, completion: completion)
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
        guard characteristic.isSubscribed, let objects = service.exportedOn else { return false }
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
        guard let client, let hub else {
            return completion(.failure(GATTServerError.bluetoothUnavailable(.unknown)))
        }
        let path = hub.freshPath("advertisement")
        let published = AdvertisementPublication(advertisement, at: path)
        let publication = publication(of: published, client, hub)
        published.publication = publication
        self.advertisement = published
        publication.onEnded = { [weak self] in self?.onAdvertisingEnded?($0) }
        publication.onDisposed = { [weak self, weak published] in
            if self?.advertisement === published { self?.advertisement = nil }
            self?.endingAdvertisements.removeAll { $0 === published }
            published?.publication = nil
        }
        publication.begin(adapter: usableAdapter, completion: completion)
    }

    func stopAdvertising(completion: @escaping () -> Void) {
        guard let ending = advertisement, let publication = ending.publication else {
            return completion()
        }
        // A new one may start at once: bluetoothd takes both calls in their order.
        advertisement = nil
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

    private var publications: [Publication] {
        services.compactMap(\.publication) + [advertisement?.publication].compactMap { $0 }
            + endingAdvertisements.compactMap(\.publication)
    }

    // MARK: bluetoothd

    private var usableAdapter: ObjectPath? { bluetoothState == .poweredOn ? adapter : nil }

    private func receive(_ event: BlueZClient.Event) {
        switch event {
        case .stateChanged(let state):
            if state != .running { loseAdapter() }
            update()
        case .changed(let changes):
            guard client?.state == .running else { return }
            if let adapter, changes.contains(.removed(adapter, interface: BlueZ.adapter)) {
                loseAdapter()
            }
            if changes.contains(where: Self.concernsAdapters) { update() }
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

    private func loseAdapter() {
        adapter = nil
        for publication in publications { publication.lost() }
        setConnected([:])
    }

    private func update() {
        guard let client else { return }
        if adapter == nil, client.state == .running { adapter = client.objects.adapter(choice) }
        let pinned = adapter.map { AdapterChoice.named($0.name) } ?? choice
        let new = client.bluetoothState(pinned, before: bluetoothState)
        // An adapter that is off is not clung to: another one may be switched on instead.
        if new != .poweredOn, publications.allSatisfy({ !$0.isRegistered }) { adapter = nil }
        let isChanged = new != bluetoothState
        bluetoothState = new
        if new == .poweredOn { updateConnections() }
        for publication in publications {
            if let adapter = usableAdapter {
                publication.available(adapter)
            } else if ![.unknown, .resetting].contains(new) {
                publication.unavailable()
            }
        }
        if isChanged { onStateChange?(new) }
    }

    // MARK: Centrals

    private func updateConnections() {
        guard let client, let adapter else { return setConnected([:]) }
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
