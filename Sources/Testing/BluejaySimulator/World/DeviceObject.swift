internal import BluejayDBus

/// The object of a device on the bus, as its adapter, its link and the server know it: its address, its path, its
/// keys and its signals.
final class DeviceObject {
    enum LinkEvent {
        case lost(SimulatedDisconnectReason)
        /// The other end has agreed on another packet size.
        case mtuChanged
        /// The other end has added or removed services.
        case servicesChanged
        /// The other end answers service discovery again.
        case discoveryAnswered
        /// The other end requires an encrypted link.
        case encryptionRequested(completion: (Bool) -> Void)
        /// Both ends have paired.
        case bonded(isAuthenticated: Bool)
    }

    /// The adapter that has the object.
    unowned let host: any RadioPeer
    unowned let world: SimulatedWorld
    private let hostPath: ObjectPath
    /// The address; the identity once the peer has distributed it.
    private(set) var address: RadioAddress
    /// The path of the first address that the device had in this run of the daemon.
    private(set) var path: ObjectPath
    /// Whether the adapter still has this object; `false` after `RemoveDevice`.
    var isKnown = false
    private(set) var isPaired = false
    /// Whether a user compared or typed a number during pairing.
    private(set) var isAuthenticated = false
    /// The link of the device, or `nil`.
    var link: SimulatedLink?
    /// Handles the events of the link.
    var onLinkEvent: (LinkEvent) -> Void = { _ in }

    /// Creates the object of an address; returns `nil` if the address is not valid in a path.
    init?(
        _ address: RadioAddress,
        of host: any RadioPeer,
        below hostPath: ObjectPath,
        in world: SimulatedWorld
    ) {
        guard let path = hostPath.child(address.pathElement) else { return nil }
        self.host = host
        self.hostPath = hostPath
        self.world = world
        self.address = address
        self.path = path
    }

    /// Adopts the identity distributed by the peer; the object keeps its path.
    func adoptIdentity(_ identity: RadioAddress) {
        address = identity
        changed(["Address", "AddressType"])
    }

    /// Stores the keys of a pairing.
    func addKeys(isAuthenticated: Bool) {
        isPaired = true
        self.isAuthenticated = isAuthenticated
    }

    /// Whether the keys satisfy a level of the kernel: 2 needs encryption, 3 and 4 a number that a user has confirmed.
    func satisfies(security level: Int) -> Bool {
        level < 2 || (level == 2 ? isPaired : isAuthenticated)
    }

    /// Resets the object like a new daemon: the path follows the current address.
    func restart() {
        path = hostPath.child(address.pathElement) ?? path
    }

    func changed(_ names: [String]) {
        world.bus.emitChanged(path, BlueZNames.device, names)
    }

    /// Signals the reason for the end of the link, as newer daemons do.
    func disconnected(_ reason: SimulatedDisconnectReason) {
        guard world.version.reportsReason else { return }
        try? world.bus.connection?.emit(
            path,
            BlueZNames.device,
            "Disconnected",
            [.string(reason.name), .string(reason.text)]
        )
    }
}
