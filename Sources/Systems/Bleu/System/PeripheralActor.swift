public import Distributed
public import FoundationEssentials

/// A Bluetooth peripheral: each distributed method is a characteristic.
///
/// A method that returns an `AsyncStream` or `AsyncThrowingStream` must create a new one for each call: a stream of
/// Swift has one reader, and ends with it. A call that returns a stream which another caller reads fails with
/// ``RemoteFailure``.
public protocol PeripheralActor: DistributedActor where ActorSystem == BLEActorSystem {
    /// The identifier of the peripheral: its address for a central, random where the actor is served.
    nonisolated var id: UUID { get }
}
