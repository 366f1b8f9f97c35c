/// A simulated connection.
///
/// If the central is an adapter, it has a device object for the peer; if the peer is an adapter, it has one
/// for the central.
final class SimulatedLink {
    let central: any RadioPeer
    let peer: any RadioPeer
    /// The device objects of this link, the central's first.
    var devices: [Device] = []
    private(set) var isOpen = true
    private var clients: [ATTClient] = []
    private var channels: [SimulatedChannel] = []
    private unowned let world: SimulatedBlueZ
    var clock: PausableClock { world.clock }

    init(central: any RadioPeer, peer: any RadioPeer, in world: SimulatedBlueZ) {
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
        by initiator: Device? = nil,
        from host: Adapter? = nil,
        reason: SimulatedDisconnectReason
    ) {
        guard isOpen else { return }
        isOpen = false
        for device in devices where device !== initiator {
            let seen = device.adapter === host ? .byLocalHost : reason
            // A paused daemon is notified later.
            world.clock.whenRunning { device.connection.linkLost(seen) }
        }
        peer.linkClosed(self)
        central.linkClosed(self)
        for channel in channels { channel.close() }
        clients = []
    }

    func add(_ client: ATTClient) {
        clients.append(client)
    }

    func client(of server: any RadioPeer) -> ATTClient? {
        clients.first { $0.server === server }
    }

    func add(_ channel: SimulatedChannel) {
        channels.append(channel)
    }

    func remove(_ channel: SimulatedChannel) {
        channels.removeAll { $0 === channel }
    }
}

/// The reason for the end of a connection, as newer daemons signal it.
enum SimulatedDisconnectReason {
    case byLocalHost, byRemoteHost, timedOut, authenticationFailed

    var name: String {
        switch self {
        case .byLocalHost: "org.bluez.Reason.Local"
        case .byRemoteHost: "org.bluez.Reason.Remote"
        case .timedOut: "org.bluez.Reason.Timeout"
        case .authenticationFailed: "org.bluez.Reason.Authentication"
        }
    }

    var text: String {
        switch self {
        case .byLocalHost: "Connection terminated by local host"
        case .byRemoteHost: "Connection terminated by remote user"
        case .timedOut: "Connection timeout"
        case .authenticationFailed: "Connection terminated due to authentication failure"
        }
    }
}
