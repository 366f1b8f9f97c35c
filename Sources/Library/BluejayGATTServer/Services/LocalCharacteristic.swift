public import BluejayCore
public import FoundationEssentials

/// A characteristic of a ``LocalService``.
///
/// It holds a value, which centrals read and write directly, or calls handlers for each request. BlueZ adds
/// the descriptors 2900 and 2902 from the properties.
public final class LocalCharacteristic {
    /// The UUID of the characteristic.
    public let uuid: BluetoothUUID
    /// The operations that centrals may perform.
    public let properties: AttributeProperties
    /// The descriptors, in the order of their handles.
    public let descriptors: [LocalDescriptor]

    /// The value that centrals read: the initial one, or the last one that was set, written or sent.
    ///
    /// Operations with a handler bypass it.
    public private(set) var value: Data

    /// Whether at least one connected central is subscribed.
    public private(set) var isSubscribed = false

    /// Called when ``isSubscribed`` has changed.
    ///
    /// BlueZ reports neither which nor how many centrals are subscribed, unless `subscriptions` is
    /// `.perCentral`.
    public var onSubscriptionChange: ((Bool) -> Void)?

    /// Whether subscribers are distinguished.
    public let subscriptions: SubscriptionMode

    /// The subscribed centrals that can receive a value, in the order of their subscriptions; empty unless
    /// `subscriptions` is `.perCentral`.
    ///
    /// Up to BlueZ 5.69 only the first subscriber is reported, and its unsubscription only if no others
    /// remain. When an unbonded central disconnects, BlueZ may end the subscription of another: that one is
    /// no longer listed, stays connected, and receives nothing until it subscribes again. A bonded central
    /// that returns must also subscribe again.
    public var subscribers: [Subscriber] { requestHandler?.subscribers?.subscribers ?? [] }

    /// Called with ``subscribers`` when a central has subscribed or unsubscribed.
    public var onSubscribersChange: (([Subscriber]) -> Void)?

    /// Called before ``onSubscribersChange`` when a central subscribes, even if it already was subscribed.
    package var onSubscription: ((PeripheralIdentifier) -> Void)?

    /// Called when a central has confirmed an indication; BlueZ does not report which one.
    public var onConfirm: (() -> Void)?

    let onRead: ((ReadRequest) -> Void)?
    let onWrite: ((WriteRequest) -> Void)?
    private(set) weak var requestHandler: CharacteristicRequestHandler?

    /// Creates a characteristic that holds its value.
    ///
    /// Writes replace it, if the properties allow them.
    public init(
        uuid: BluetoothUUID,
        properties: AttributeProperties,
        value: Data = Data(),
        descriptors: [LocalDescriptor] = [],
        subscriptions: SubscriptionMode = .shared
    ) {
        self.uuid = uuid
        self.properties = properties
        self.value = value
        self.descriptors = descriptors
        self.subscriptions = subscriptions
        onRead = nil
        onWrite = nil
    }

    /// Creates a characteristic whose reads and writes call handlers.
    ///
    /// - Parameters:
    ///   - uuid: The UUID of the characteristic.
    ///   - properties: The operations that centrals may perform.
    ///   - descriptors: Its descriptors.
    ///   - subscriptions: Whether subscribers are distinguished.
    ///   - onRead: Called on the server's loop; answers a read within 4.5 seconds, from any thread; nil reads
    ///     ``value``.
    ///   - onWrite: Called on the server's loop; answers a write, as `onRead` does; nil sets ``value``.
    public init(
        uuid: BluetoothUUID,
        properties: AttributeProperties,
        descriptors: [LocalDescriptor] = [],
        subscriptions: SubscriptionMode = .shared,
        onRead: ((ReadRequest) -> Void)? = nil,
        onWrite: ((WriteRequest) -> Void)? = nil
    ) {
        self.uuid = uuid
        self.properties = properties
        self.descriptors = descriptors
        self.subscriptions = subscriptions
        self.onRead = onRead
        self.onWrite = onWrite
        value = Data()
    }

    /// Sets the value that centrals read, without notifying subscribers.
    ///
    /// - Parameter value: At most 512 bytes.
    /// - Throws: ``BluejayError/valueTooLong(length:limit:)``.
    public func setValue(_ value: Data) throws {
        self.value = try AttributeValueRules.checked(value)
    }

    func store(_ value: Data) {
        self.value = value
    }

    /// Attaches the request handler; `nil` lets the characteristic be published again.
    func attach(_ handler: CharacteristicRequestHandler?) {
        requestHandler = handler
    }

    func setSubscribed(_ isSubscribed: Bool) {
        self.isSubscribed = isSubscribed
    }
}

/// A descriptor of a ``LocalCharacteristic``, such as 2901, the user description.
public final class LocalDescriptor {
    /// The UUID of the descriptor.
    public let uuid: BluetoothUUID
    /// The operations that centrals may perform: the options that read and write, and `authorize`.
    public let properties: AttributeProperties
    /// The value that centrals read.
    public internal(set) var value: Data

    let onRead: ((ReadRequest) -> Void)?
    let onWrite: ((WriteRequest) -> Void)?

    /// Creates a descriptor that holds its value.
    public init(uuid: BluetoothUUID, properties: AttributeProperties = .read, value: Data) {
        self.uuid = uuid
        self.properties = properties
        self.value = value
        onRead = nil
        onWrite = nil
    }

    /// Creates a descriptor whose reads and writes call handlers, as for a characteristic.
    public init(
        uuid: BluetoothUUID,
        properties: AttributeProperties,
        onRead: ((ReadRequest) -> Void)? = nil,
        onWrite: ((WriteRequest) -> Void)? = nil
    ) {
        self.uuid = uuid
        self.properties = properties
        self.onRead = onRead
        self.onWrite = onWrite
        value = Data()
    }
}
