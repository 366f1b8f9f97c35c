public import BluejayBlueZ
public import Distributed
public import FoundationEssentials

/// A distributed actor system whose actors are Bluetooth peripherals.
public final class BLEActorSystem: DistributedActorSystem, Swift.Sendable {
    /// The identifier of a peripheral.
    public typealias ActorID = UUID
    /// What arguments, results and elements conform to.
    public typealias SerializationRequirement = Codable
    /// Encodes the arguments of a call.
    public typealias InvocationEncoder = BLEInvocationEncoder
    /// Decodes the arguments of a call.
    public typealias InvocationDecoder = BLEInvocationDecoder
    /// Receives the result of a call on the peripheral.
    public typealias ResultHandler = BLEResultHandler

    /// The loop, the adapter and the bus.
    public let host: BluetoothHost
    let configuration: BleuConfiguration

    /// Creates a system.
    public init(
        configuration: BleuConfiguration = BleuConfiguration(),
        host: BluetoothHost = BluetoothHost()
    ) {
        self.configuration = configuration
        self.host = host
    }

    /// Returns the actor with this identifier if it lives in this system.
    public func resolve<Act>(id: UUID, as actorType: Act.Type) throws -> Act?
    where Act: DistributedActor, Act.ID == UUID { nil }

    /// Returns a random identifier for an actor of this process.
    public func assignID<Act>(_ actorType: Act.Type) -> UUID
    where Act: DistributedActor, Act.ID == UUID { UUID() }

    /// Adds an actor of this process.
    public func actorReady<Act>(_ actor: Act) where Act: DistributedActor, Act.ID == UUID {}

    /// Removes an actor of this process.
    public func resignID(_ id: UUID) {}

    /// Creates an encoder without arguments.
    public func makeInvocationEncoder() -> BLEInvocationEncoder { BLEInvocationEncoder() }

    /// Calls a distributed method that returns a value.
    public func remoteCall<Act, Err, Res>(
        on actor: Act,
        target: RemoteCallTarget,
        invocation: inout BLEInvocationEncoder,
        throwing: Err.Type,
        returning: Res.Type
    ) async throws -> Res
    where Act: DistributedActor, Act.ID == UUID, Err: Error, Res: Codable {
        throw BleuError.invalidData
    }

    /// Calls a distributed method without a result.
    public func remoteCallVoid<Act, Err>(
        on actor: Act,
        target: RemoteCallTarget,
        invocation: inout BLEInvocationEncoder,
        throwing: Err.Type
    ) async throws where Act: DistributedActor, Act.ID == UUID, Err: Error {
        throw BleuError.invalidData
    }
}
