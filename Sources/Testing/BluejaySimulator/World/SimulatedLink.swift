/// A simulated connection.
///
/// If the central is an adapter, it has a device object for the peer; if the peer is an adapter, it has one
/// for the central.
final class SimulatedLink {
    let central: any RadioPeer
    let peer: any RadioPeer
    /// The device objects of this link, the central's first.
    var devices: [DeviceObject] = []
    private(set) var isOpen = true
    private var clients: [ATTClient] = []
    private var closeHandlers: [(owner: ObjectIdentifier, close: () -> Void)] = []
    private unowned let world: SimulatedWorld
    var clock: PausableClock { world.clock }

    init(central: any RadioPeer, peer: any RadioPeer, in world: SimulatedWorld) {
        self.central = central
        self.peer = peer
        self.world = world
    }

    /// Ends the connection at both ends.
    ///
    /// - Parameters:
    ///   - initiator: An object that signals the end itself.
    ///   - host: The adapter whose host ends the connection or disappears; its object has the reason
    ///     `byLocalHost`.
    ///   - reason: The reason that all other objects signal.
    func close(
        by initiator: DeviceObject? = nil,
        from host: (any RadioPeer)? = nil,
        reason: SimulatedDisconnectReason
    ) {
        guard isOpen else { return }
        isOpen = false
        for device in devices where device !== initiator {
            let seen = device.host === host ? .byLocalHost : reason
            // A paused daemon is notified later.
            world.clock.whenRunning { device.onLinkEvent(.lost(seen)) }
        }
        peer.linkClosed(self)
        central.linkClosed(self)
        for handler in closeHandlers { handler.close() }
        clients = []
    }

    func add(_ client: ATTClient) {
        clients.append(client)
    }

    func client(of server: any RadioPeer) -> ATTClient? {
        clients.first { $0.server === server }
    }

    /// Calls `close` at the end of the connection, unless `removeCloseHandler` is called before.
    func addCloseHandler(of owner: AnyObject, _ close: @escaping () -> Void) {
        closeHandlers.append((ObjectIdentifier(owner), close))
    }

    func removeCloseHandler(of owner: AnyObject) {
        closeHandlers.removeAll { $0.owner == ObjectIdentifier(owner) }
    }
}
