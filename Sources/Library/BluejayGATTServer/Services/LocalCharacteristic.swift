public import BluejayCore
public import FoundationEssentials

/// A characteristic of a ``LocalService``.
///
/// It holds a value, which is read and written without further ado, or it has handlers that are asked
/// for each. The descriptors 2900 and 2902 are made by BlueZ from the properties.
public final class LocalCharacteristic {
    /// The UUID of the characteristic.
    public let uuid: BluetoothUUID
    /// What centrals may do with it.
    public let properties: AttributeProperties
    /// The descriptors, in the order of their handles.
    public let descriptors: [LocalDescriptor]

    /// The value that centrals read: the first one, or what was last set, written or sent.
    ///
    /// Handlers take the place of it.
    public private(set) var value: Data

    /// Whether at least one connected central is subscribed.
    public private(set) var isSubscribed = false

    /// Called when ``isSubscribed`` has changed.
    ///
    /// BlueZ does not say which central subscribed, nor how many are, unless the characteristic is made
    /// with `subscriptions: .perCentral`.
    public var onSubscriptionChange: ((Bool) -> Void)?

    /// How its subscribers are told apart.
    public let subscriptions: Subscriptions

    /// The centrals that are subscribed and can get a value, in the order of their subscriptions; empty
    /// where they are told together.
    ///
    /// Up to BlueZ 5.69 only the first one that subscribes is told of, and not that it unsubscribes while
    /// others stay. When a central that is not bonded leaves, BlueZ may end the subscription of another:
    /// that one is no longer listed, stays connected, and gets nothing until it subscribes again. A bonded
    /// one that comes back has to subscribe again too.
    public var subscribers: [Subscriber] { published?.subscribers?.subscribers ?? [] }

    /// Called with ``subscribers`` when a central has come or gone.
    public var onSubscribersChange: (([Subscriber]) -> Void)?

    /// Called when a central has subscribed, also one that is among the ``subscribers``; before
    /// ``onSubscribersChange``.
    package var onSubscription: ((PeripheralIdentifier) -> Void)?

    /// Called when a central has confirmed an indication; BlueZ does not say which.
    public var onConfirm: (() -> Void)?

    let onRead: ((ReadRequest) -> Void)?
    let onWrite: ((WriteRequest) -> Void)?
    private(set) weak var published: CharacteristicRequestHandler?

    /// Makes a characteristic that holds its value.
    ///
    /// Writes replace it, if the properties allow them.
    public init(
        uuid: BluetoothUUID,
        properties: AttributeProperties,
        value: Data = Data(),
        descriptors: [LocalDescriptor] = [],
        subscriptions: Subscriptions = .together
    ) {
        self.uuid = uuid
        self.properties = properties
        self.value = value
        self.descriptors = descriptors
        self.subscriptions = subscriptions
        onRead = nil
        onWrite = nil
    }

    /// Makes a characteristic that asks when it is read or written.
    ///
    /// - Parameters:
    ///   - uuid: The UUID of the characteristic.
    ///   - properties: What centrals may do with it.
    ///   - descriptors: Its descriptors.
    ///   - subscriptions: How its subscribers are told apart.
    ///   - onRead: Called on the server's loop; answers a read within 4.5 seconds, from any thread; nil
    ///     reads ``value``.
    ///   - onWrite: Called on the server's loop; answers a write, as `onRead` does; nil sets ``value``.
    public init(
        uuid: BluetoothUUID,
        properties: AttributeProperties,
        descriptors: [LocalDescriptor] = [],
        subscriptions: Subscriptions = .together,
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

    /// Sets the value that centrals read, without telling subscribers.
    ///
    /// - Parameter value: At most 512 bytes.
    /// - Throws: ``BluejayError/valueTooLong(length:limit:)``.
    public func setValue(_ value: Data) throws {
        self.value = try AttributeValueRules.checked(value)
    }

    /// Stores a value that was written or sent.
    func store(_ value: Data) {
        self.value = value
    }

    /// Attaches the published form; `nil` lets the characteristic be published again.
    func attach(_ published: CharacteristicRequestHandler?) {
        self.published = published
    }

    /// Stores whether a central is subscribed; the caller reports the change.
    func setSubscribed(_ isSubscribed: Bool) {
        self.isSubscribed = isSubscribed
    }
}

/// A descriptor of a ``LocalCharacteristic``, such as 2901, the description for people.
public final class LocalDescriptor {
    /// The UUID of the descriptor.
    public let uuid: BluetoothUUID
    /// What centrals may do with it: the options that read and write, and `authorize`.
    public let properties: AttributeProperties
    /// The value that centrals read.
    public internal(set) var value: Data

    let onRead: ((ReadRequest) -> Void)?
    let onWrite: ((WriteRequest) -> Void)?

    /// Makes a descriptor that holds its value.
    public init(uuid: BluetoothUUID, properties: AttributeProperties = .read, value: Data) {
        self.uuid = uuid
        self.properties = properties
        self.value = value
        onRead = nil
        onWrite = nil
    }

    /// Makes a descriptor that asks when it is read or written, as a characteristic does.
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
