public import Distributed
public import FoundationEssentials

/// A Bluetooth peripheral: each distributed method is a characteristic.
public protocol PeripheralActor: DistributedActor where ActorSystem == BLEActorSystem {
    /// The identifier of the peripheral: its address for a central, random where the actor is served.
    nonisolated var id: UUID { get }
}
