internal import BluejayDBus

/// Where programs listen for channels at one adapter.
final class ChannelListeners {
    private var byPSM: [UInt16: ChannelListener] = [:]

    subscript(psm: UInt16) -> ChannelListener? {
        get { byPSM[psm] }
        set {
            byPSM[psm]?.close()
            byPSM[psm] = newValue
        }
    }

    /// A number above 0x7F that nobody listens on.
    var free: UInt16? { (0x80...0xFF).first { byPSM[$0] == nil } }

    func clientLeft(_ client: String) {
        for (psm, listener) in byPSM where listener.client == client { self[psm] = nil }
    }

    func removeAll() {
        for listener in byPSM.values { listener.close() }
        byPSM = [:]
    }
}

/// A number on which a program listens.
final class ChannelListener {
    /// A channel that nobody has fetched yet.
    struct Waiting {
        let descriptor: BusFileDescriptor
        let address: RadioAddress
        /// The longest packet that its other end takes.
        let mtu: Int
        let channel: SimulatedChannel
    }

    /// Linux keeps as many for who listens with this backlog.
    private static let backlog = 16

    let client: String
    /// 1 to 4.
    let security: Int
    private unowned let adapter: Adapter
    private let psm: UInt16
    private let mtu: Int
    private var waiting: [Waiting] = []

    init(_ client: String, at adapter: Adapter, psm: UInt16, mtu: Int, security: Int) {
        self.client = client
        self.adapter = adapter
        self.psm = psm
        self.mtu = mtu
        self.security = security
    }

    /// Joins the other end of a channel with the program; false when it does not take it.
    func offer(_ end: any ChannelEnd, mtu other: Int, over link: SimulatedLink) -> Bool {
        waiting.removeAll { !$0.channel.isOpen }
        guard waiting.count < Self.backlog,
            let address = link.devices.first(where: { $0.adapter === adapter })?.address,
            let (own, descriptor) = SocketChannelEndpoint.pair(on: adapter.world.bus.context)
        else { return false }
        let channel = SimulatedChannel(own, mtu, end, other)
        channel.begin(over: link)
        waiting.append(
            Waiting(descriptor: descriptor, address: address, mtu: other, channel: channel)
        )
        try? adapter.world.bus.connection?.emit(
            ChannelKernel.path,
            ChannelKernel.name,
            "Incoming",
            [.string(adapter.address.text), .uint16(psm)]
        )
        return true
    }

    /// The one that came first, for the program.
    func accept() -> Waiting? {
        waiting.isEmpty ? nil : waiting.removeFirst()
    }

    /// The longest packet that the program takes.
    var receiveMTU: Int { mtu }

    func close() {
        for one in waiting { one.channel.close() }
        waiting = []
    }
}
