internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib

/// What a channel has of its link: it keeps it in use, and hears of its end.
final class ChannelLink {
    /// Called once when the link, having been up, has gone.
    var onEnd: ((LinkDownReason) -> Void)?
    private let engine: BlueZEngine
    private let link: Link
    private var lease: LinkLease?
    /// Whether it was brought up for this share.
    private(set) var isNew = false
    private var hold: LinkRetainer?
    private var observation: ObservationToken?
    private var path: ObjectPath?

    init(to peer: DeviceAddress, over adapter: ObjectPath, _ engine: BlueZEngine) {
        self.engine = engine
        link = engine.link(to: peer, over: adapter)
        path = link.path
    }

    /// The address that the peer has now.
    var address: DeviceAddress { link.address }
    var name: String? { link.name }
    /// Whether both ends have keys.
    var isPaired: Bool { link.device?.isPaired == true }

    /// Brings the link up, or joins it.
    func join(_ done: @escaping (Result<Void, LinkFailure>) -> Void) {
        isNew = !isConnected
        let lease = link.connect(done)
        lease.cutting = .ifOurs
        lease.handlers.onEnd = { [weak self] in self?.ended($0) }
        self.lease = lease
    }

    /// Keeps a link in use over which the peer has opened a channel.
    func keep() {
        if link.isUp { return join { _ in } }
        // Who connected to us decides when the link ends: a user of ours who comes and goes does not.
        hold = LinkRetainer(link)
        observation = engine.client.observe(.devices(of: link.adapter)) { [weak self] in
            self?.receive($0)
        }
    }

    /// Releases the link; `done` is called once, when the link is down or is left to others.
    func leave(_ done: @escaping () -> Void) {
        observation = nil
        hold = nil
        guard let lease else { return engine.client.clock.later(done) }
        self.lease = nil
        lease.handlers.onEnd = nil
        lease.release(cutting: .ifOurs, done)
    }

    /// Asks bluetoothd whether the link is there: what it had to signal stands before its answer.
    func ask(_ done: @escaping (ChannelEnd) -> Void) -> BusCall? {
        let client = engine.client
        guard let path = link.path ?? path else { return nil }
        return client.call(
            StandardInterfaces.getAll(path, Device1.interface),
            timeout: .seconds(2)
        ) { result in
            guard case .success(let values) = result, let properties = values.first?.namedValues
            else { return done(.link(.unavailable)) }
            let device = Device1(properties)
            done(device.isConnected ? .closedByPeer : .link(.lost(reason: nil)))
        }
    }

    private var isConnected: Bool {
        link.path.map { engine.client.objects.isConnected($0) } ?? false
    }

    private func ended(_ end: LinkDownReason) {
        let onEnd = onEnd
        self.onEnd = nil
        onEnd?(end)
    }

    private func receive(_ event: BlueZClient.Event) {
        let objects = engine.client.objects
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
            Device1(values).connectedIfTold == false
        case .added, .removed, .changed: false
        }
    }
}

/// While it lives, no user's leaving cuts the link.
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
