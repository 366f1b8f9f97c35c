public import BluejayCore

/// A change to the centrals of a ``GATTServer``.
public enum CentralChange: Hashable, Swift.Sendable {
    /// A device connected to this machine, or a connected device requested an attribute for the first time.
    case came(PeripheralIdentifier)
    /// The central disconnected, or this process took over its link before it requested an attribute.
    case left(PeripheralIdentifier)
    /// Pairing replaced the private address of a central with its identity address.
    case identified(PeripheralIdentifier, as: PeripheralIdentifier)
}
