internal import BluejayDBus

/// A PSM on which a program listens.
final class ProgramListener {
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
    private unowned let adapter: any RadioPeer
    private unowned let world: SimulatedWorld
    private let psm: UInt16
    private let mtu: Int
    private var pendingChannels: [PendingChannel] = []

    init(
        _ client: String,
        at adapter: any RadioPeer,
        in world: SimulatedWorld,
        psm: UInt16,
        mtu: Int,
        security: Int
    ) {
        self.client = client
        self.adapter = adapter
        self.world = world
        self.psm = psm
        self.mtu = mtu
        self.security = security
    }

    /// Connects the other end of a channel to the program; returns false if the backlog is full.
    func enqueue(_ end: any ChannelEndpoint, mtu other: Int, over link: SimulatedLink) -> Bool {
        pendingChannels.removeAll { !$0.channel.isOpen }
        guard pendingChannels.count < Self.backlog,
            let address = link.devices.first(where: { $0.host === adapter })?.address,
            let (own, descriptor) = SocketChannelEndpoint.pair(on: world.bus.context)
        else { return false }
        let channel = SimulatedChannel(own, mtu: mtu, end, mtu: other)
        channel.open(over: link)
        pendingChannels.append(
            PendingChannel(descriptor: descriptor, address: address, mtu: other, channel: channel)
        )
        try? world.bus.connection?.emit(
            KernelNames.path,
            KernelNames.channels,
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
        for pending in pendingChannels { pending.channel.close() }
        pendingChannels = []
    }
}
