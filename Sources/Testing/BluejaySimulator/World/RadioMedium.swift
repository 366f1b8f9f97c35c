internal import BluejayDBus

/// A request of the Attribute Protocol.
enum ATTRequest: Equatable {
    case read(handle: UInt16, offset: Int)
    case write(handle: UInt16, value: [UInt8], offset: Int)
    /// A write that nobody answers.
    case command(handle: UInt16, value: [UInt8])
    /// A write of the client characteristic configuration of the value at `handle`.
    case configure(handle: UInt16, ClientConfiguration)
    /// A piece of a long write.
    case prepare(handle: UInt16, value: [UInt8], offset: Int)
    /// Writes the pieces, or takes them back.
    case execute(writes: Bool)
}

/// What a client wants to get from a characteristic (Vol 3, Part G, 3.3.3.3).
enum ClientConfiguration: UInt16 {
    case nothing = 0
    case notifications = 1
    case indications = 2
}

typealias ATTResult = Result<[UInt8], ATTErrorCode>

/// Something in the virtual air that can be heard and connected to: a scripted device or an adapter.
protocol RadioPeer: AnyObject {
    /// What its packets carry.
    var address: RadioAddress { get }
    /// Whose keys it gives away with pairing; nil when its address is all that it has.
    var identity: RadioAddress? { get }
    /// What it sends now; nothing while it is out of range or off.
    var advertisements: [AdvertisingData] { get }
    /// Whether somebody could connect now.
    var acceptsLinks: Bool { get }
    /// The signal strength of its packets where an adapter receives them, in dBm; 127 is unknown.
    func signalStrength(at adapter: Adapter) -> Int16
    var mtu: Int { get }
    /// How many requests it takes at once.
    var bearerCount: Int { get }
    /// How it pairs, when it does; an adapter has its agent asked.
    var pairing: SimulatedPairing { get }
    var acceptsPairing: Bool { get }
    var database: AttributeDatabase { get }
    /// Whether it answers the questions for its services.
    var answersDiscovery: Bool { get }
    /// What its Generic Access service says; nil leaves the advertised name.
    var deviceName: String? { get }
    /// What its Device Information service says.
    var modalias: String? { get }

    func linkOpened(_ link: SimulatedLink)
    func linkClosed(_ link: SimulatedLink)
    /// Handles a request; `answer` is called at most once, not at all by a mute peer.
    func perform(
        _ request: ATTRequest,
        from client: ATTClient,
        answer: @escaping (ATTResult) -> Void
    )
    /// Forgets what a client subscribed to.
    func clientLeft(_ client: ATTClient)
}

/// Where advertisements are heard and links made.
final class RadioMedium {
    private(set) var peers: [any RadioPeer] = []
    private(set) var adapters: [Adapter] = []
    /// Those who look for somebody to connect to, and are heard by nobody.
    private(set) var centrals: [SimulatedCentral] = []
    /// Signal strengths between two adapters that differ from the default, by the names of both.
    private var strengths: [Set<String>: Int16] = [:]

    func add(_ peer: any RadioPeer) {
        peers.append(peer)
        if let adapter = peer as? Adapter { adapters.append(adapter) }
        changed(peer)
    }

    func remove(_ peer: any RadioPeer) {
        peers.removeAll { $0 === peer }
        adapters.removeAll { $0 === peer }
    }

    func add(_ central: SimulatedCentral) {
        centrals.append(central)
    }

    func remove(_ central: SimulatedCentral) {
        centrals.removeAll { $0 === central }
    }

    /// The signal strength between two adapters in dBm.
    func signalStrength(between one: Adapter, and other: Adapter) -> Int16 {
        strengths[[one.name, other.name]] ?? -50
    }

    /// Sets the signal strength between two adapters; both receive each other's advertisements again.
    func setSignalStrength(_ rssi: Int16, between pair: Set<String>) {
        strengths[pair] = rssi
        let adapters = adapters.filter { pair.contains($0.name) }
        for adapter in adapters {
            for peer in adapters where peer !== adapter {
                adapter.hearAgain(peer)
            }
        }
    }

    /// The peer that answers an adapter's connection attempt now.
    func connectable(_ address: RadioAddress, for adapter: Adapter) -> (any RadioPeer)? {
        peers.first { adapter.devices.address(of: $0) == address && $0.acceptsLinks }
    }

    /// A peer began, changed or ended its advertising: controllers tell it again.
    func changed(_ peer: any RadioPeer) {
        for adapter in adapters where adapter !== peer { adapter.peerChanged(peer) }
        if peer is Adapter { for central in centrals { central.tryConnecting() } }
    }
}
