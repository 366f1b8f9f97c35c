internal import BluejayBlueZ
internal import BluejayGLib
public import FoundationEssentials

/// Stores, decrypts and relays the messages of the mesh.
public protocol MeshRepository: AnyObject {
    /// Receives one value from a peer, in the order in which the peer sent its values.
    ///
    /// Called in the isolation of the code that set the repository, such as the main actor; without isolation
    /// on the loop of the host. There it must return soon: no other callback of the host runs meanwhile.
    /// While 4,096 values wait for an actor, further values are discarded and logged.
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
/// Any thread may read and set the repository.
final class RepositoryReference {
    private struct Reference {
        weak var repository: (any MeshRepository)?
        let isolation: ObserverIsolation
    }

    private let reference: LoopProperty<Reference>

    init(_ repository: (any MeshRepository)?, _ isolation: (any Actor)?) {
        reference = LoopProperty(
            Reference(repository: repository, isolation: ObserverIsolation(isolation))
        )
    }

    var latest: (any MeshRepository)? { reference.latest.repository }

    func set(
        _ repository: (any MeshRepository)?,
        _ isolation: (any Actor)?,
        on loop: MainLoop
    ) {
        let isolation = ObserverIsolation(isolation)
        reference.set(Reference(repository: repository, isolation: isolation), on: loop)
    }

    /// Passes a value to the repository, in its isolation; on the loop only.
    func receive(_ data: Data, from peer: UUID, on context: MainContext, _ log: Log) {
        let reference = reference.applied
        guard let repository = reference.repository else { return }
        reference.isolation.performLimited(on: context) {
            repository.onBleDataReceived(peerId: peer.uuidString, data: data)
        } onOverflow: {
            log.warning("discarding values: the repository is slow")
        }
    }
}
