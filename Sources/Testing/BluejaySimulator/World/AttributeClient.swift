/// Who uses the attributes at the other end of a link: a device object of an adapter, or a scripted
/// central.
protocol AttributeClient: AnyObject {
    var world: SimulatedBlueZ { get }
    var link: SimulatedLink? { get }
    /// Whether both ends have keys.
    var isPaired: Bool { get }
    /// Whether somebody has compared or typed something while they paired.
    var isAuthenticated: Bool { get }
    /// The largest packet that it takes.
    var ownMTU: Int { get }

    /// Takes a value that the other end sent by itself.
    func received(_ handle: UInt16, _ value: [UInt8])
    /// The other end wants an encrypted link for what was asked.
    func encrypt(completion: @escaping (Bool) -> Void)
    /// A request was not answered in its time.
    func attributeTimedOut()
}
