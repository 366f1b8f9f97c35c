internal import BluejayGLib
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
/// Any thread may read and set the repository, which receives values on the loop of the host.
final class RepositoryReference {
    private struct Reference {
        weak var repository: (any MeshRepository)?
    }

    private let reference: LoopProperty<Reference>

    init(_ repository: (any MeshRepository)?) {
        reference = LoopProperty(Reference(repository: repository))
    }

    var latest: (any MeshRepository)? { reference.latest.repository }

    func set(_ repository: (any MeshRepository)?, on loop: MainLoop) {
        reference.set(Reference(repository: repository), on: loop)
    }

    func receive(_ data: Data, from peer: UUID) {
        reference.applied.repository?.onBleDataReceived(peerId: peer.uuidString, data: data)
    }
}
