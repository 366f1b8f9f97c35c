public import BluejayCore
internal import BluejayGLib

/// A GATT service of this machine, which centrals can discover after it is added to a ``GATTServer``.
///
/// Once added, it belongs to the server. A removed service may be added again.
public final class LocalService: @unchecked Swift.Sendable {
    // `registration` is used on the server's loop only: the invariant behind `@unchecked`.

    /// The UUID of the service.
    public let uuid: BluetoothUUID
    /// Whether this is a primary service; other services include a secondary one.
    public let isPrimary: Bool
    /// The characteristics, in the order of their handles.
    public let characteristics: [LocalCharacteristic]

    var registration: ServiceRegistration? {
        didSet { added.value = registration != nil }
    }
    private let added = LockedValue(false)

    /// Creates a service; adding it reports mistakes.
    ///
    /// - Parameters:
    ///   - uuid: The UUID of the service, such as `"FFE0"`.
    ///   - isPrimary: Whether this is a primary service.
    ///   - characteristics: Its characteristics; a service without any only announces something.
    public init(
        uuid: BluetoothUUID,
        isPrimary: Bool = true,
        characteristics: [LocalCharacteristic] = []
    ) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.characteristics = characteristics
    }

    /// Whether the service is added to a server.
    public var isAdded: Bool { added.value }
}
