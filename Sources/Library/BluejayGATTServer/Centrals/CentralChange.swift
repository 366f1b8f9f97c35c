public import BluejayCore

/// What has become of the centrals of a ``GATTServer``.
public enum CentralChange: Hashable, Swift.Sendable {
    /// A device has connected by itself, or a connected one has asked for an attribute for the first time.
    case came(PeripheralIdentifier)
    /// It has disconnected, or this process has taken its link over before it asked for anything.
    case left(PeripheralIdentifier)
    /// Pairing has replaced its private address by its own; it is the same central as before.
    case identified(PeripheralIdentifier, as: PeripheralIdentifier)
}
