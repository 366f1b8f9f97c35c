/// The user of attributes at the other end of a link: a device object of an adapter, or a scripted central.
protocol AttributeClient: AnyObject {
    var world: SimulatedBlueZ { get }
    var link: SimulatedLink? { get }
    var isPaired: Bool { get }
    /// Whether a user compared or typed a number during pairing.
    var isAuthenticated: Bool { get }
    /// The largest packet that the client accepts.
    var ownMTU: Int { get }

    func received(_ handle: UInt16, _ value: [UInt8])
    /// Encrypts the link, as the other end requires for a request.
    func encrypt(completion: @escaping (Bool) -> Void)
    func attributeTimedOut()
}
