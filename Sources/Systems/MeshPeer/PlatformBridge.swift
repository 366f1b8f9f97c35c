public import BluejayBlueZ
internal import BluejayGLib
public import FoundationEssentials

/// The transport of a mesh application: the three managers of one node, and the way to its repository.
///
/// Any thread may call it; see the managers.
public final class PlatformBridge: @unchecked Swift.Sendable {
    /// Scans for peers and writes to them.
    public let central: BLECentralManager
    /// Advertises the node and notifies its centrals.
    public let peripheral: BLEPeripheralManager
    /// Opens and publishes channels.
    public let l2cap: BLEL2CAPManager

    private let repository: RepositoryReference
    private let mainLoop: MainLoop

    /// Creates a node.
    ///
    /// Scanning and advertising start with calls of ``central`` and ``peripheral``.
    ///
    /// - Parameters:
    ///   - repository: Receives the values from peers. The bridge does not retain it.
    ///   - centralSettings: Times and limits; `nil` are those of the mesh, with
    ///     ``MeshBLEConstants/centralRestoreId`` and the adapter of the host as the name of the state file.
    ///   - peripheralSettings: The same for the peripheral.
    ///   - host: The loop, the adapter and the bus.
    ///   - isolation: The isolation of `repository`, by default that of the caller.
    public init(
        repository: any MeshRepository,
        centralSettings: BLECentralManager.Settings? = nil,
        peripheralSettings: BLEPeripheralManager.Settings? = nil,
        host: BluetoothHost = BluetoothHost(),
        isolation: (any Actor)? = #isolation
    ) {
        let suffix = host.adapter.map { ".\($0)" } ?? ""
        var central = BLECentralManager.Settings()
        central.restoreIdentifier = MeshBLEConstants.centralRestoreId + suffix
        var peripheral = BLEPeripheralManager.Settings()
        peripheral.restoreIdentifier = MeshBLEConstants.peripheralRestoreId + suffix
        let reference = RepositoryReference(repository, isolation)
        self.repository = reference
        mainLoop = host.mainLoop
        self.central = BLECentralManager(reference, centralSettings ?? central, host)
        self.peripheral = BLEPeripheralManager(reference, peripheralSettings ?? peripheral, host)
        l2cap = BLEL2CAPManager(host: host)
    }

    /// The receiver of the values from peers.
    public var meshRepository: (any MeshRepository)? { repository.latest }

    /// Replaces the receiver of the values from peers; held weakly.
    ///
    /// - Parameters:
    ///   - repository: The receiver, or `nil` for none.
    ///   - isolation: The isolation of `repository`, by default that of the caller.
    public func setMeshRepository(
        _ repository: (any MeshRepository)?,
        isolation: (any Actor)? = #isolation
    ) {
        self.repository.set(repository, isolation, on: mainLoop)
    }

    /// Sends a value to a peer: writes it to a connected peer, or else notifies a subscribed central.
    ///
    /// - Parameters:
    ///   - peerId: A UUID as text, as ``MeshRepository/onBleDataReceived(peerId:data:)`` has it.
    ///   - data: At most 512 bytes; a notification at most the MTU of the central − 3.
    /// - Returns: Whether the value is queued; a text that is not a UUID is an unknown peer.
    @discardableResult
    public func sendBlePacket(peerId: String, data: Data) -> MeshSendResult {
        guard let peer = UUID(uuidString: peerId) else { return .unknownPeer }
        let result = central.sendData(to: peer, data: data)
        return result == .unknownPeer ? peripheral.sendNotification(to: peer, data: data) : result
    }

    /// Applies the settings of the radio to both managers.
    public func applyBleAdjustment(_ adjustment: BleAdjustment) {
        central.applyScanSettings(intervalMs: adjustment.scanIntervalMs)
        peripheral.applyAdvertiseSettings(
            intervalMs: adjustment.advertiseIntervalMs,
            txPowerDbm: adjustment.txPowerDbm
        )
    }
}

/// The name of ``PlatformBridge`` on iOS.
public typealias IosPlatformBridge = PlatformBridge
