public import BluejayCore
internal import BluejayGLib
public import FoundationEssentials

/// A descriptor of a ``LocalCharacteristic``, such as 2901, the user description.
///
/// Any thread may read its value.
public final class LocalDescriptor: @unchecked Swift.Sendable {
    // The handlers are used on the server's loop, the value under a lock: the invariant behind `@unchecked`.

    /// The UUID of the descriptor.
    public let uuid: BluetoothUUID
    /// The operations that centrals may perform: the options that read and write, and `authorize`.
    public let properties: AttributeProperties
    /// The value that centrals read.
    public var value: Data { stored.value }

    /// The longest time until a handler has answered a request, as
    /// ``LocalCharacteristic/responseTimeout`` of a characteristic.
    public var responseTimeout: Duration {
        get { timeout.value }
        set { timeout.value = ResponseTimeout.bounded(newValue) }
    }

    private let timeout = LockedValue(ResponseTimeout.initial)

    let onRead: (@isolated(any) (ReadRequest) -> Void)?
    let onWrite: (@isolated(any) (WriteRequest) -> Void)?
    private let stored: LockedValue<Data>

    /// Creates a descriptor that holds its value.
    public init(uuid: BluetoothUUID, properties: AttributeProperties = .read, value: Data) {
        self.uuid = uuid
        self.properties = properties
        stored = LockedValue(value)
        onRead = nil
        onWrite = nil
    }

    /// Creates a descriptor whose reads and writes call handlers, as for a characteristic.
    public init(
        uuid: BluetoothUUID,
        properties: AttributeProperties,
        onRead: (@isolated(any) (ReadRequest) -> Void)? = nil,
        onWrite: (@isolated(any) (WriteRequest) -> Void)? = nil
    ) {
        self.uuid = uuid
        self.properties = properties
        self.onRead = onRead
        self.onWrite = onWrite
        stored = LockedValue(Data())
    }

    func store(_ value: Data) {
        stored.value = value
    }
}
