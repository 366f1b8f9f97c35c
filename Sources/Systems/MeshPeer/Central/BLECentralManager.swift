public import BluejayBlueZ
internal import BluejayGLib
public import FoundationEssentials

/// The central side of a mesh node: scans for other nodes, connects to them and writes to them.
///
/// The manager connects to a node with the mesh service when it advertises. Once its service has TX, RX and
/// ID, its notifications are on and its identity is read, the node is a connected peer; the repository
/// receives its values. Manager and repository are confined to the loop of the host: callbacks run there, and any thread
/// may call. A call from another thread is posted to the loop, in the order of the thread's calls; `sendData`
/// waits for the loop, at most 3 s. Properties are what the loop published last.
///
/// The manager follows Bluetooth from its creation on. While Bluetooth is off nothing fails: the scan starts,
/// or restarts, when Bluetooth is on. Releasing the manager releases its peers.
public final class BLECentralManager: @unchecked Swift.Sendable {
    /// Times and limits of a central.
    ///
    /// A value outside its limits counts as the nearest one within; no time is longer than 30 days.
    public struct Settings: Hashable, Swift.Sendable {
        /// The length of a scan window, at least 1 s.
        public var scanWindow = Duration.seconds(10)
        /// The pause between two windows; zero scans without a pause.
        public var scanPause = Duration.seconds(30)
        /// The shortest time between two attempts to connect to the same node, at least 1 s.
        ///
        /// It doubles with each failure, up to 300 s.
        public var peerCacheWindow = Duration.seconds(5)
        /// The limit of a connection, and of each step that makes the node a peer; at least 1 s.
        ///
        /// An attempt may end sooner while nodes with fewer attempts wait for a place.
        public var connectionTimeout = Duration.seconds(10)
        /// The limit of a write, from its turn on; at least 100 ms.
        public var writeTimeout = Duration.seconds(5)
        /// The number of peers, with those that are being connected, 0 to 1,000.
        public var maximumPeers = 5
        /// The number of writes that may wait for each peer, besides the present one.
        public var maximumQueuedWrites = 64
        /// How many times longer a pause is in background mode, 1 to 1,000.
        public var backgroundPauseFactor = 4
        /// The name of the state file that remembers the connected peers; `nil` remembers none.
        ///
        /// If the process is killed, bluetoothd keeps its links. The next manager with the same name takes
        /// them over without a scan. Two managers that run at the same time need two names.
        public var restoreIdentifier: String?
        /// The folder of the state file; `nil` is `bluejay` in the state folder of the user.
        public var stateDirectory: URL?

        /// Creates the settings of the mesh.
        public init() {}

        /// The settings within their limits.
        var bounded: Settings {
            let longest = Duration.seconds(30 * 86_400)
            var bounded = self
            bounded.scanWindow = min(max(scanWindow, DutyCycleStateMachine.shortestWindow), longest)
            bounded.scanPause = min(max(scanPause, .zero), longest)
            bounded.peerCacheWindow = min(max(peerCacheWindow, .seconds(1)), longest)
            bounded.connectionTimeout = min(max(connectionTimeout, .seconds(1)), longest)
            bounded.writeTimeout = min(max(writeTimeout, .milliseconds(100)), longest)
            bounded.maximumPeers = min(max(maximumPeers, 0), 1000)
            bounded.maximumQueuedWrites = max(maximumQueuedWrites, 0)
            bounded.backgroundPauseFactor = min(max(backgroundPauseFactor, 1), 1000)
            return bounded
        }
    }

    private let central: LoopConfined<MeshCentral>
    private let context: NodeContext<PublishedPeers>

    /// Creates a central.
    ///
    /// - Parameters:
    ///   - repository: Receives what peers send. The manager does not retain it.
    ///   - settings: Times and limits.
    ///   - host: The loop, the adapter and the bus.
    ///   - isolation: The isolation of `repository`, by default that of the caller.
    public convenience init(
        repository: (any MeshRepository)? = nil,
        settings: Settings = Settings(),
        host: BluetoothHost = BluetoothHost(),
        isolation: (any Actor)? = #isolation
    ) {
        self.init(RepositoryReference(repository, isolation), settings, host)
    }

    init(_ repository: RepositoryReference, _ settings: Settings, _ host: BluetoothHost) {
        let context = NodeContext(host, repository, publishing: PublishedPeers())
        self.context = context
        central = LoopConfined(host.mainLoop) { MeshCentral(settings.bounded, context) }
    }

    deinit {
        // The last reference may be released on any thread.
        central.perform { $0.shutDown() }
    }

    // MARK: Scanning

    /// Starts scanning; has no effect while a scan runs.
    ///
    /// Scan windows and pauses alternate until ``stopScanning()``. The events of the scan are
    /// ``MeshPeerEvent/scanning(_:)`` and ``MeshPeerEvent/discovered(_:rssi:)``.
    public func startScanning() {
        central.perform { $0.start() }
    }

    /// Stops scanning, releases all peers and forgets all nodes.
    ///
    /// The links that this process made are disconnected; a link that the peer made stays.
    public func stopScanning() {
        central.perform { $0.stop() }
    }

    /// Sets whether the scan spares power.
    ///
    /// In the foreground every advertisement is reported. In the background each change is reported, and
    /// the pauses are ``Settings/backgroundPauseFactor`` times as long.
    public func setBackgroundMode(_ background: Bool) {
        central.perform { $0.scanner.setBackground(background) }
    }

    /// Sets the length of a scan cycle.
    ///
    /// A quarter of the cycle scans, at least 1 s. A cycle of 1,000 ms or less has no pause. The present
    /// window or pause counts from its start.
    public func applyScanSettings(intervalMs: UInt32) {
        let cycle = Duration.milliseconds(Int64(intervalMs))
        central.perform { $0.scanner.setCycle(cycle) }
    }

    // MARK: Peers

    /// Writes a value to TX of a connected peer, with response.
    ///
    /// Each peer has a queue: its values are written in order, one at a time. A write that fails is
    /// reported, and the next one follows. After a time-out the request is still open in the protocol, so
    /// the following writes may time out as well, until bluetoothd ends the link after 30 s.
    ///
    /// - Parameters:
    ///   - peer: One of ``connectedPeers``.
    ///   - data: At most 512 bytes. A peer on BlueZ 5.66 refuses values of 511 and 512 bytes.
    /// - Returns: Whether the value is queued; ``MeshPeerEvent/written(_:count:)`` or
    ///   ``MeshPeerEvent/writeFailed(_:reason:)`` reports the end.
    @discardableResult
    public func sendData(to peer: UUID, data: Data) -> MeshSendResult {
        central.result { $0.peers.send(data, to: peer) } ?? .queueFull
    }

    /// The connected peers, in the order of their connection attempts.
    public var connectedPeers: [UUID] { context.publicState.value.connectedPeers }

    /// The nodes that advertised during this scan, in the order of discovery, at most 1,024.
    public var discoveredPeers: [UUID] { context.publicState.value.discoveredPeers }

    /// The identity of a connected peer, 0 to 24 bytes, as it was read at the connection.
    public func identity(of peer: UUID) -> Data? { context.publicState.value.identity(of: peer) }

    // MARK: Events

    /// Returns a new stream of events, which starts with the state of Bluetooth.
    ///
    /// Each stream has all events from this call on. It holds 4,096 unread events of each kind (discoveries,
    /// writes, subscriptions, all others) and drops newer ones, which ``droppedEventCount`` counts. It ends
    /// when the manager is released or the loop ends.
    public func events() -> AsyncStream<MeshPeerEvent> { context.events(of: central) }

    /// The number of events that were dropped because a stream was full.
    public var droppedEventCount: Int { context.droppedEventCount }
}
