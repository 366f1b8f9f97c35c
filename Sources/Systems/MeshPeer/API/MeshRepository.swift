public import FoundationEssentials

/// Stores, decrypts and relays the messages of the mesh.
public protocol MeshRepository: AnyObject {
    /// Receives one value from a peer, in the order in which the peer sent its values.
    ///
    /// Called on the loop of the host. It must return soon: no other callback of the host runs
    /// meanwhile.
    ///
    /// - Parameters:
    ///   - peerId: The UUID of the peer in uppercase, as `UUID.uuidString` has it.
    ///   - data: The value, at most 512 bytes.
    func onBleDataReceived(peerId: String, data: Data)

    /// Sends one value to a peer, usually through ``PlatformBridge/sendBlePacket(peerId:data:)``.
    func sendBlePacket(peerId: String, data: Data)
}

/// A weak reference to a repository, shared by the managers of one node.
///
/// Confined to the loop of the host.
final class RepositoryReference {
    weak var repository: (any MeshRepository)?

    init(_ repository: (any MeshRepository)?) {
        self.repository = repository
    }

    func receive(_ data: Data, from peer: UUID) {
        repository?.onBleDataReceived(peerId: peer.uuidString, data: data)
    }
}
