public import BluejayCore

/// A GATT service of this machine, which centrals can discover when it is added to a ``GATTServer``.
///
/// It belongs to the server's main loop from then on. A service that was removed may be added again.
public final class LocalService {
    /// The UUID of the service.
    public let uuid: BluetoothUUID
    /// Whether it stands for itself; a secondary service is only ever included by others.
    public let isPrimary: Bool
    /// The characteristics, in the order of their handles.
    public let characteristics: [LocalCharacteristic]

    var publication: ServiceRegistration?

    /// Makes a service; what is wrong with it is told when it is added.
    public init(
        uuid: BluetoothUUID,
        isPrimary: Bool = true,
        characteristics: [LocalCharacteristic]
    ) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.characteristics = characteristics
    }

    /// Whether it is added to a server, and not removed.
    public var isAdded: Bool { publication != nil }
}
