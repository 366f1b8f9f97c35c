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
    func signalStrength(at receiver: any RadioPeer) -> Int16
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

    /// The address of another peer as the controller reports it: its identity if the keys are known.
    func reportedAddress(of peer: any RadioPeer) -> RadioAddress
    /// Handles that another peer started, changed or stopped its advertising.
    func peerChanged(_ peer: any RadioPeer)
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

extension RadioPeer {
    func reportedAddress(of peer: any RadioPeer) -> RadioAddress { peer.address }
}
