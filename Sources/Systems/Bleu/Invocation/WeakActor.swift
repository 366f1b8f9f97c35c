internal import Distributed

/// A reference that does not retain its actor.
final class WeakActor: Swift.Sendable {
    weak let actor: (any DistributedActor)?

    init(_ actor: any DistributedActor) {
        self.actor = actor
    }
}
