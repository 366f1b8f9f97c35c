internal import BluejayDBus

/// The channel listeners of programs at one adapter.
final class ChannelListeners {
    private var byPSM: [UInt16: ChannelListener] = [:]

    subscript(psm: UInt16) -> ChannelListener? {
        get { byPSM[psm] }
        set {
            byPSM[psm]?.close()
            byPSM[psm] = newValue
        }
    }

    /// The first PSM above 0x7F without a listener.
    var free: UInt16? { (0x80...0xFF).first { byPSM[$0] == nil } }

    func clientDisconnected(_ client: String) {
        for (psm, listener) in byPSM where listener.client == client { self[psm] = nil }
    }

    func removeAll() {
        for listener in byPSM.values { listener.close() }
        byPSM = [:]
    }
}

/// A PSM on which a program listens.
final class ChannelListener {
    /// A channel that the program has not accepted yet.
    struct PendingChannel {
        let descriptor: BusFileDescriptor
        let address: RadioAddress
        /// The longest packet that its other end accepts.
        let mtu: Int
        let channel: SimulatedChannel
    }

    /// The library listens with this backlog, and Linux queues as many channels.
    private static let backlog = 16

    let client: String
    /// The security level, 1 to 4.
    let security: Int
    private unowned let adapter: Adapter
    private let psm: UInt16
    private let mtu: Int
    private var pendingChannels: [PendingChannel] = []

    init(_ client: String, at adapter: Adapter, psm: UInt16, mtu: Int, security: Int) {
        self.client = client
        self.adapter = adapter
        self.psm = psm
        self.mtu = mtu
        self.security = security
    }

    /// Connects the other end of a channel to the program; returns false if the backlog is full.
    func enqueue(_ end: any ChannelEndpoint, mtu other: Int, over link: SimulatedLink) -> Bool {
        pendingChannels.removeAll { !$0.channel.isOpen }
        guard pendingChannels.count < Self.backlog,
            let address = link.devices.first(where: { $0.adapter === adapter })?.address,
            let (own, descriptor) = SocketChannelEndpoint.pair(on: adapter.world.bus.context)
        else { return false }
        let channel = SimulatedChannel(own, mtu, end, other)
        channel.open(over: link)
        pendingChannels.append(
            PendingChannel(descriptor: descriptor, address: address, mtu: other, channel: channel)
        )
        try? adapter.world.bus.connection?.emit(
            SimulatedKernelObject.path,
            SimulatedKernelObject.name,
            "Incoming",
            [.string(adapter.address.text), .uint16(psm)]
        )
        return true
    }

    func accept() -> PendingChannel? {
        pendingChannels.isEmpty ? nil : pendingChannels.removeFirst()
    }

    /// The longest packet that the program accepts.
    var receiveMTU: Int { mtu }

    func close() {
        for one in pendingChannels { one.channel.close() }
        pendingChannels = []
    }
}
