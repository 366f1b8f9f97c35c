internal import BluejayGLib
internal import Distributed
internal import FoundationEssentials

/// The actors of this process, by their identifiers, for any thread.
final class ActorRegistry: Swift.Sendable {
    private let actors = LockedValue<[UUID: WeakActor]>([:])

    func add(_ actor: any DistributedActor, _ id: UUID) {
        let reference = WeakActor(actor)
        actors.update { $0[id] = reference }
    }

    func remove(_ id: UUID) {
        actors.update { $0[id] = nil }
    }

    func actor(_ id: UUID) -> (any DistributedActor)? {
        actors.value[id]?.actor
    }
}
