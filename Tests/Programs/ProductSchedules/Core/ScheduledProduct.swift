import BluejaySimulator

/// A product with its users in a simulated world; used on the loop of the world only.
protocol ScheduledProduct: AnyObject, SendableMetatype {
    associatedtype Call: ProductCall

    static var maximumUserCount: Int { get }
    /// The methods of bluetoothd that the product calls.
    static var methods: [String] { get }

    /// Returns the steps at the start of every schedule.
    static func opening(users count: Int) -> [Step<Call>]
    static func call(_ dice: inout Dice) -> Call
    static func stranger(_ dice: inout Dice) -> StrangerAction
    /// Adds the devices of the strangers; also called before the probe.
    static func addDevices(to blueZ: SimulatedBlueZ)

    /// Creates the users.
    init(_ stage: Stage, users count: Int)

    func perform(_ call: Call, by user: Int)
    /// Ends the calls that wait for events, and the listens, after the last fault.
    func endEndlessCalls()
    /// Checks that the product works without a fault.
    func probe() async throws
    /// Releases the users.
    func release()
}

extension ScheduledProduct {
    static func addDevices(to blueZ: SimulatedBlueZ) {}
    func endEndlessCalls() {}
}

/// The products by the names of the command line.
enum Products {
    static var all: [(name: String, type: any ScheduledProduct.Type)] {
        [
            ("gatt-server", GATTServerProduct.self), ("bleu", BleuProduct.self),
            ("mesh-peer", MeshPeerProduct.self), ("async", AsyncProduct.self),
            ("l2cap", L2CAPProduct.self), ("pocket-mesh", PocketMeshProduct.self),
            ("game-host", GameHostProduct.self), ("bluejay", BluejayProduct.self),
        ]
    }

    static func type(_ name: String) -> (any ScheduledProduct.Type)? {
        all.first { $0.name == name }?.type
    }
}
