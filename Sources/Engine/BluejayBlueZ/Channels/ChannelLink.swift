internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib

/// A channel's use of its link: it keeps the link up and reports its end.
final class ChannelLink {
    /// Called once, when an established link ends.
    var onEnd: ((LinkDownReason) -> Void)?
    private let client: BlueZClient
    private let link: Link
    private var connection: PeripheralLink?
    private(set) var isNew = false
    private var retainer: LinkRetainer?
    private var observation: ObservationToken?
    private var path: ObjectPath?

    init(to peer: DeviceAddress, over adapter: ObjectPath, _ links: LinkRegistry) {
        client = links.client
        link = links.link(to: peer, over: adapter)
        path = link.path
    }

    var address: DeviceAddress { link.address }
    var name: String? { link.name }
    var isPaired: Bool { link.device?.isPaired == true }

    /// Brings the link up, or uses a link that is already up.
    func connect(_ completion: @escaping (Result<Void, LinkFailure>) -> Void) {
        isNew = !isConnected
        let connection = PeripheralLink(link) { [weak self] event in
            switch event {
            case .up: completion(.success(()))
            case .failed(let failure): completion(.failure(failure))
            case .ended(let reason): self?.ended(reason)
            case .started, .progressed, .deviceChanged, .servicesChanged, .addressChanged: break
            }
        }
        self.connection = connection
        connection.connect()
    }

    /// Retains a link over which the peer has opened a channel.
    func retain() {
        if link.isUp { return connect { _ in } }
        // The peer that connected decides when the link ends; the release of a local lease must not end it.
        retainer = LinkRetainer(link)
        observation = client.observe(.devices(of: link.adapter)) { [weak self] in
            self?.receive($0)
        }
    }

    /// Releases the link; `completion` is called once, when the link is down or left to its other users.
    func release(_ completion: @escaping () -> Void) {
        observation = nil
        retainer = nil
        guard let connection else { return client.clock.onNextIteration(completion) }
        self.connection = nil
        connection.release(completion)
    }

    /// Asks bluetoothd whether the link is up.
    ///
    /// Its pending signals arrive before its reply.
    func checkLink(_ completion: @escaping (ChannelCloseReason) -> Void) -> BusCall? {
        guard let path = link.path ?? path else { return nil }
        return client.call(
            StandardInterfaces.getAll(path, Device1.interface),
            timeout: .seconds(2)
        ) { result in
            guard case .success(let values) = result, let properties = values.first?.namedValues
            else { return completion(.link(.unavailable)) }
            let device = Device1(properties)
            completion(device.isConnected ? .closedByPeer : .link(.lost(reason: nil)))
        }
    }

    private var isConnected: Bool {
        link.path.map { client.objects.isConnected($0) } ?? false
    }

    private func ended(_ reason: LinkDownReason) {
        let onEnd = onEnd
        self.onEnd = nil
        onEnd?(reason)
    }

    private func receive(_ event: BlueZClient.Event) {
        let objects = client.objects
        path = objects.device(link.address, of: link.adapter) ?? path
        switch event {
        case .stateChanged(let state): if state != .running { ended(.unavailable) }
        case .disconnectReason: break
        case .changed(let changes):
            if objects.adapterState(link.adapter) != .on { return ended(.unavailable) }
            if changes.contains(where: isEnd) { ended(.lost(reason: nil)) }
        }
    }

    private func isEnd(_ change: ObjectTree.Change) -> Bool {
        switch change {
        case .removed(path, Device1.interface): true
        case .changed(path, Device1.interface, let values, _):
            Device1(values).connectedIfPresent == false
        case .added, .removed, .changed: false
        }
    }
}

/// Keeps the link up while this object exists, even without leases.
final class LinkRetainer {
    private let link: Link

    init(_ link: Link) {
        self.link = link
        link.addRetainer()
    }

    deinit {
        link.removeRetainer()
    }
}
