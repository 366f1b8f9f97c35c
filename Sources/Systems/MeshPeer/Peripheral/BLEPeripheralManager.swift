public import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
public import FoundationEssentials

/// The peripheral side of a mesh node: advertises the mesh service and serves it to centrals.
///
/// The service has TX (write, write without response), RX (notify), ID (read) and PSM (read). The repository
/// receives the values that centrals write to TX. Manager and repository are confined to the loop of the
/// host: callbacks run there, and any thread may call. A call from another thread is posted to the loop, in
/// the order of the thread's calls; `sendNotification` waits for the loop, at most 3 s. Properties are what the
/// loop published last.
///
/// The manager follows Bluetooth from its creation on. While Bluetooth is off nothing fails: advertising
/// starts, or restarts, when Bluetooth is on.
public final class BLEPeripheralManager: @unchecked Swift.Sendable {
    /// The name, times and limits of a peripheral.
    public struct Settings: Hashable, Swift.Sendable {
        /// The advertised name, cut to 29 bytes of UTF-8; an empty name becomes "Mesh".
        public var localName = "Mesh"
        /// The time between two rotations of the identity, at least 1 s; zero or less never rotates.
        public var rotationInterval = Duration.seconds(900)
        /// The number of notifications that wait for each central, at most 256.
        public var maximumQueuedNotifications = 256
        /// The name of the state file that remembers the identity and an interval set with
        /// ``BLEPeripheralManager/setRotationInterval(_:)``; `nil` remembers nothing.
        ///
        /// Two managers that run at the same time need two names.
        public var restoreIdentifier: String?
        /// The folder of the state file; `nil` is `bluejay` in the state folder of the user.
        public var stateDirectory: URL?

        /// Creates the settings of the mesh.
        public init() {}
    }

    private let peripheral: LoopConfined<MeshPeripheral>
    private let context: NodeContext<MeshPeripheralState>

    /// Creates a peripheral.
    ///
    /// - Parameters:
    ///   - repository: Receives what centrals write. The manager does not retain it.
    ///   - settings: The name, times and limits.
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
        let context = NodeContext(host, repository, publishing: MeshPeripheralState())
        self.context = context
        peripheral = LoopConfined(host.mainLoop) { MeshPeripheral(settings, context) }
    }

    deinit {
        // The last reference may be released on any thread.
        peripheral.perform { $0.shutDown() }
    }

    // MARK: Advertising

    /// Adds the mesh service and advertises it; has no effect while it is advertised.
    ///
    /// The advertisement has 21 bytes, and the name in the scan response. It is on the air again after each
    /// connection, and the rotation of the identity starts. If bluetoothd refuses the service or the
    /// advertisement, ``MeshPeerEvent/advertisingFailed(reason:)`` reports it.
    public func startAdvertising() {
        peripheral.perform { $0.start() }
    }

    /// Withdraws the advertisement, ends the rotation and removes the service.
    ///
    /// Connected centrals stay connected; their subscriptions end.
    public func stopAdvertising() {
        peripheral.perform { $0.stop() }
    }

    /// Whether bluetoothd has the advertisement.
    public var isAdvertising: Bool { context.publicState.value.isAdvertising }

    /// Sets the advertising interval and the transmit power.
    ///
    /// BlueZ before 5.77 follows both only with `--experimental`, and the power only if the adapter can
    /// set it.
    ///
    /// - Parameters:
    ///   - intervalMs: In milliseconds, clamped to 20...10,485,000.
    ///   - txPowerDbm: In dBm, clamped to −127...20.
    public func applyAdvertiseSettings(intervalMs: UInt32, txPowerDbm: Int8) {
        peripheral.perform {
            $0.advertiser.setRadio(intervalMs: intervalMs, txPowerDbm: txPowerDbm)
        }
    }

    // MARK: Identity

    /// Sets the value of the ID characteristic at once, without a rotation.
    ///
    /// - Parameter data: At most 24 bytes.
    /// - Throws: `BluejayError.valueTooLong`; the identity stays as it was.
    public func setIdentityData(_ data: Data) throws {
        let limit = MeshBLEConstants.maxIdentityDataSize
        guard data.count <= limit else {
            throw BluejayError.valueTooLong(length: data.count, limit: limit)
        }
        peripheral.perform { $0.setIdentity(data) }
    }

    /// Sets the closure that returns the identity of the next rotation.
    ///
    /// - Parameter provider: Called on the thread of the loop, once for each rotation, before the advertisement is
    ///   withdrawn. An identity of more than 24 bytes is ignored. Without a provider the identity stays.
    public func setIdentityProvider(_ provider: (@Sendable () -> Data)?) {
        peripheral.perform { $0.advertiser.provider = provider }
    }

    /// Sets the time between two rotations, which counts from now on.
    ///
    /// A rotation withdraws the advertisement, sets the identity and advertises again. Subscribed centrals
    /// stay subscribed. The address of the adapter does not change: for that, `Privacy = device` in
    /// `/etc/bluetooth/main.conf` is needed.
    ///
    /// - Parameter interval: In seconds, at least 1. Zero, a negative or a non-finite interval ends the
    ///   rotation.
    public func setRotationInterval(_ interval: TimeInterval) {
        peripheral.perform { $0.setRotation(interval) }
    }

    /// The interval of a rotation; `nil` never rotates.
    static func rotation(_ seconds: TimeInterval) -> Duration? {
        guard seconds.isFinite, seconds > 0 else { return nil }
        return .seconds(min(seconds, 3.2e9))
    }

    // MARK: Centrals

    /// Notifies one subscribed central through RX.
    ///
    /// The notifications for a central are sent in order. While bluetoothd does not accept them, they wait.
    /// They are not confirmed. If the central leaves, its waiting notifications are discarded.
    ///
    /// BlueZ 5.76 and later can notify one of several centrals. Earlier versions can do so only while one
    /// device is connected.
    ///
    /// - Parameters:
    ///   - central: One of ``subscribedCentrals``; with BlueZ before 5.70 any connected device.
    ///   - data: 1 byte up to the MTU of the central − 3, at most 512. An empty value is
    ///     ``MeshSendResult/notAddressable``.
    /// - Returns: Whether the notification is queued.
    @discardableResult
    public func sendNotification(to central: UUID, data: Data) -> MeshSendResult {
        peripheral.result { $0.service.send(data, to: central) } ?? .queueFull
    }

    /// The centrals that are subscribed to RX, in the order of their subscriptions.
    ///
    /// BlueZ before 5.70 reports only the first one.
    public var subscribedCentrals: [UUID] { context.publicState.value.subscribers }

    // MARK: Events

    /// Returns a new stream of events, which starts with the state of Bluetooth.
    ///
    /// Each stream has all events from this call on. It holds 4,096 unread events of each kind (discoveries,
    /// writes, subscriptions, all others) and drops newer ones, which ``droppedEventCount`` counts. It ends
    /// when the manager is released or the loop ends.
    public func events() -> AsyncStream<MeshPeerEvent> { context.events(of: peripheral) }

    /// The number of events that were dropped because a stream was full.
    public var droppedEventCount: Int { context.droppedEventCount }
}
