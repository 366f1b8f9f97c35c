import Distributed

/// An actor in another image than the program.
public distributed actor InLibrary {
    /// The system of the actor.
    public typealias ActorSystem = LocalTestingDistributedActorSystem

    /// Returns the length of a name.
    public distributed func load(_ name: String) async throws -> Int { name.count }
}
