internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import FoundationEssentials

/// The link to one node: its characteristics, its subscription and its writes.
///
/// Confined to the loop of the host.
final class PeerLink {
    enum Event {
        /// The attempt to connect has started.
        case attemptStarted
        /// The link is up. `isNode` is true if the device has TX, which can be written, RX and ID.
        case up(isNode: Bool)
        case subscribed
        case identity(Data)
        /// A step before the connection failed.
        case failed
        /// The mesh service was removed from a link that is up. `up` follows when the service is back, or
        /// `notRestored`.
        case serviceRemoved
        case notRestored
        /// The link, having been up, has ended. Without `isLost`, Bluetooth became unavailable.
        case ended(isLost: Bool, reason: String?)
        case moved(DeviceAddress)
        case received(Data)
        case written(count: Int)
        case writeFailed(reason: String)
    }

    /// The values that are held back until the node is a connected peer.
    static let maximumEarlyValues = 256

    private let link: Link
    private let clock: any EventClock
    private let settings: BLECentralManager.Settings
    private let handler: (Event) -> Void
    private let places: LinkPlaces
    /// The lease of the link, from the attempt to the release.
    private var connection: PeripheralLink?
    private var disconnectPolicy = DisconnectPolicy.ifLocal
    private var tx: RemoteCharacteristic?
    private var queue: WriteQueueStateMachine<Data>
    /// Runs while the service is missing.
    private var serviceTimer: ScheduledTimer?
    /// `nil` once values are delivered.
    private var earlyValues: [Data]? = []

    init(
        to address: DeviceAddress,
        over adapter: ObjectPath,
        _ engine: BlueZEngine,
        _ settings: BLECentralManager.Settings,
        in places: LinkPlaces,
        handler: @escaping (Event) -> Void
    ) {
        clock = engine.client.clock
        self.places = places
        self.settings = settings
        self.handler = handler
        link = engine.link(to: address, over: adapter)
        queue = WriteQueueStateMachine(capacity: settings.maximumQueuedWrites)
    }

    /// Whether this program made the link, in this run or the previous one.
    var isOurs: Bool { disconnectPolicy == .always || link.isLocallyInitiated }

    /// Connects, as soon as there is a place for the link.
    ///
    /// - Parameter wasOurs: Whether the previous run made the link.
    func connect(wasOurs: Bool) {
        if wasOurs { disconnectPolicy = .always }
        let connection = PeripheralLink(
            link,
            within: settings.connectionTimeout,
            in: places,
            disconnecting: disconnectPolicy
        ) { [weak self] in self?.receive($0) }
        self.connection = connection
        connection.connect()
    }

    private var lease: LinkLease? { connection?.lease }

    func subscribe() {
        guard let lease, let rx = link.characteristic(MeshBLEConstants.rx) else {
            return handler(.failed)
        }
        _ = lease.subscribe(
            rx,
            within: settings.connectionTimeout,
            onValue: { [weak self] in self?.receive($0) },
            onEnd: { [weak self] _ in self?.serviceRemoved() },
            completion: { [weak self] result in
                if case .success = result {
                    self?.handler(.subscribed)
                } else {
                    self?.handler(.failed)
                }
            }
        )
    }

    func readIdentity() {
        guard let lease, let id = link.characteristic(MeshBLEConstants.id) else {
            return handler(.failed)
        }
        lease.read(id, within: settings.connectionTimeout) { [weak self] result in
            if case .success(let identity) = result {
                self?.handler(.identity(identity))
            } else {
                self?.handler(.failed)
            }
        }
    }

    /// Delivers the early values, and from now on each value at once.
    func deliver() {
        let values = earlyValues ?? []
        earlyValues = nil
        for value in values where lease != nil { handler(.received(value)) }
    }

    /// Queues a write.
    ///
    /// - Returns: Whether the queue has room.
    func write(_ data: Data) -> Bool {
        guard queue.hasRoom else { return false }
        if let next = queue.add(data) { send(next) }
        return true
    }

    /// Releases the link, and disconnects it if this program made it.
    ///
    /// - Parameter completion: Called once, in a later iteration of the loop, when nothing is pending.
    func release(_ completion: @escaping () -> Void = {}) {
        guard let connection else { return completion() }
        self.connection = nil
        serviceTimer = nil
        failWrites("link down")
        connection.release(completion)
    }

    private func failWrites(_ reason: String) {
        let count = (queue.isWriting ? 1 : 0) + queue.close().count
        tx = nil
        for _ in 0..<count { handler(.writeFailed(reason: reason)) }
    }

    // MARK: Callbacks of the engine

    private func receive(_ event: PeripheralLink.Event) {
        switch event {
        case .started: handler(.attemptStarted)
        case .up:
            tx = link.characteristic(MeshBLEConstants.tx)
            handler(.up(isNode: hasService))
        case .failed: handler(.failed)
        case .ended(.requested): handler(.ended(isLost: true, reason: nil))
        case .ended(.lost(let reason)): handler(.ended(isLost: true, reason: reason))
        case .ended(.unavailable): handler(.ended(isLost: false, reason: nil))
        case .servicesChanged: servicesChanged()
        case .addressChanged(let address): handler(.moved(address))
        case .progressed, .deviceChanged: break
        }
    }

    private var hasService: Bool {
        link.characteristic(MeshBLEConstants.tx)?.canWrite == true
            && [MeshBLEConstants.rx, MeshBLEConstants.id]
                .allSatisfy { link.characteristic($0) != nil }
    }

    // A node that restarts while bluetoothd keeps its links registers the service again.
    private func serviceRemoved() {
        guard lease != nil else { return }
        failWrites("the mesh service of the peer has vanished")
        earlyValues = []
        serviceTimer = clock.schedule(after: settings.connectionTimeout) { [weak self] in
            self?.serviceTimer = nil
            self?.handler(.notRestored)
        }
        handler(.serviceRemoved)
        servicesChanged()
    }

    private func servicesChanged() {
        guard serviceTimer != nil, hasService else { return }
        serviceTimer = nil
        tx = link.characteristic(MeshBLEConstants.tx)
        handler(.up(isNode: true))
    }

    private func receive(_ value: Data) {
        guard let count = earlyValues?.count else { return handler(.received(value)) }
        if count < Self.maximumEarlyValues { earlyValues?.append(value) }
    }

    private func send(_ data: Data) {
        guard let lease, let tx else { return }
        lease.write(tx, data, withResponse: true, within: settings.writeTimeout) {
            [weak self] result in
            // A write to a removed service has been reported.
            guard let self, self.lease != nil, self.tx === tx else { return }
            switch result {
            case .success: handler(.written(count: data.count))
            case .failure(let failure):
                handler(.writeFailed(reason: failure.errorText ?? failure.reason))
            }
            if self.lease != nil, let next = queue.finished() { send(next) }
        }
    }
}
