public import BluejayCore
public import FoundationEssentials

/// An event of a ``BLECentralManager`` or a ``BLEPeripheralManager``.
public enum MeshPeerEvent: Hashable, Swift.Sendable {
    /// An advertisement with the mesh service of a node that is not a connected peer: each one in the
    /// foreground, each change in the background.
    case discovered(UUID, rssi: Int?)
    /// A node with the mesh service became a connected peer.
    ///
    /// `identity` has 0 to 24 bytes; it is empty if the node has set none.
    case connected(UUID, identity: Data)
    /// A connected peer was lost. Without a reason, Bluetooth became unavailable: a
    /// ``stateChanged(_:)`` precedes it.
    case lost(UUID, DisconnectReason?)
    /// A device with the service UUID lacks a characteristic of the mesh service, or its identity has
    /// more than 24 bytes.
    ///
    /// It is tried again 30 s later, and then after pauses that double up to an hour. The event is reported
    /// again only if the node was a peer in between.
    case notAPeer(UUID)
    /// The Bluetooth stack of the peer acknowledged a write of `count` bytes. The application of the peer
    /// may not have read it.
    case written(UUID, count: Int)
    /// A write failed, timed out, or was dropped at the end of its link.
    case writeFailed(UUID, reason: String)
    /// A central subscribed to the notifications of this node.
    case subscribed(UUID)
    /// A subscribed central unsubscribed or disconnected.
    case unsubscribed(UUID)
    /// A scan window started or ended.
    case scanning(Bool)
    /// The advertisement started or ended. A rotation reports both.
    case advertising(Bool)
    /// bluetoothd refused the advertisement or the mesh service; the next attempt follows 10 s later.
    case advertisingFailed(reason: String)
    /// The availability of Bluetooth changed. It is also the first event of every stream.
    case stateChanged(BluetoothState)
}

extension MeshPeerEvent {
    /// The kind of the event, for streams: frequent events take no place from rare ones.
    var kind: Int {
        switch self {
        case .discovered: 0
        case .written, .writeFailed: 1
        case .subscribed, .unsubscribed: 2
        case .connected, .lost, .notAPeer, .scanning, .advertising, .advertisingFailed,
            .stateChanged:
            3
        }
    }
}
