internal import BluejayBlueZ
internal import BluejayGLib
internal import FoundationEssentials

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
