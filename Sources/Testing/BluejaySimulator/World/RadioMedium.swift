internal import BluejayDBus

enum ATTRequest: Equatable {
    case read(handle: UInt16, offset: Int)
    case write(handle: UInt16, value: [UInt8], offset: Int)
    /// A write without response.
    case command(handle: UInt16, value: [UInt8])
    /// A write to the client characteristic configuration of the value at `handle`.
    case configure(handle: UInt16, ClientConfiguration)
    case prepare(handle: UInt16, value: [UInt8], offset: Int)
    /// Executes or cancels the prepared writes.
    case execute(writes: Bool)
}

/// The value of a client characteristic configuration (Vol 3, Part G, 3.3.3.3).
enum ClientConfiguration: UInt16 {
    case nothing = 0
    case notifications = 1
    case indications = 2
}

typealias ATTResult = Result<[UInt8], ATTErrorCode>

/// A device on the air: a scripted device, a scripted central or an adapter.
protocol RadioPeer: AnyObject {
    /// The address in its packets.
    var address: RadioAddress { get }
    /// The identity distributed during pairing; `nil` if the address is the identity.
    var identity: RadioAddress? { get }
    /// The current advertisements; empty while out of range or off.
    var advertisements: [AdvertisingData] { get }
    var acceptsLinks: Bool { get }
    /// The signal strength of its packets at an adapter, in dBm; 127 means unknown.
    func signalStrength(at adapter: Adapter) -> Int16
    var mtu: Int { get }
    /// The number of concurrent requests that it accepts.
    var bearerCount: Int { get }
    /// Its pairing behaviour; an adapter asks its agent instead.
    var pairing: SimulatedPairing { get }
    var acceptsPairing: Bool { get }
    var database: AttributeDatabase { get }
    /// Whether it answers service discovery.
    var answersDiscovery: Bool { get }
    /// The name in its Generic Access service; `nil` keeps the advertised name.
    var deviceName: String? { get }
    /// The PnP ID of its Device Information service.
    var modalias: String? { get }

    func linkOpened(_ link: SimulatedLink)
    func linkClosed(_ link: SimulatedLink)
    /// Handles a request; `completion` is called at most once, not at all by a mute peer.
    func perform(
        _ request: ATTRequest,
        from client: ATTClient,
        completion: @escaping (ATTResult) -> Void
    )
    func clientDisconnected(_ client: ATTClient)
}

/// The medium that carries advertisements and links.
final class RadioMedium {
    private(set) var peers: [any RadioPeer] = []
    private(set) var adapters: [Adapter] = []
    /// The centrals, which connect but do not advertise.
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

    func signalStrength(between one: Adapter, and other: Adapter) -> Int16 {
        strengths[[one.name, other.name]] ?? -50
    }

    /// Sets the signal strength between two adapters; both receive each other's advertisements again.
    func setSignalStrength(_ rssi: Int16, between pair: Set<String>) {
        strengths[pair] = rssi
        let adapters = adapters.filter { pair.contains($0.name) }
        for adapter in adapters {
            for peer in adapters where peer !== adapter {
                adapter.receiveAgain(peer)
            }
        }
    }

    /// Returns the peer that accepts an adapter's connection attempt now.
    func connectable(_ address: RadioAddress, for adapter: Adapter) -> (any RadioPeer)? {
        peers.first { adapter.devices.address(of: $0) == address && $0.acceptsLinks }
    }

    /// Handles that a peer started, changed or stopped its advertising: controllers report it again.
    func changed(_ peer: any RadioPeer) {
        for adapter in adapters where adapter !== peer { adapter.peerChanged(peer) }
        if peer is Adapter { for central in centrals { central.tryConnecting() } }
    }
}
