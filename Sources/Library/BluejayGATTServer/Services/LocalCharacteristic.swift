package import BluejayBlueZ
public import BluejayCore
internal import BluejayGLib
public import FoundationEssentials

/// A characteristic of a ``LocalService``.
///
/// It holds a value, which centrals read and write directly, or calls handlers for each request. BlueZ adds
/// the descriptors 2900 and 2902 from the properties.
///
/// Any thread may read the state and set the handlers.
public final class LocalCharacteristic: @unchecked Swift.Sendable {
    // `requestHandler` and `onSubscriberChange` are used on the server's loop, the rest under locks: the invariant
    // behind `@unchecked`.

    /// The UUID of the characteristic.
    public let uuid: BluetoothUUID
    /// The operations that centrals may perform.
    public let properties: AttributeProperties
    /// The descriptors, in the order of their handles.
    public let descriptors: [LocalDescriptor]

    /// The value that centrals read: the initial one, or the last one that was set, written or sent.
    ///
    /// Operations with a handler bypass it.
    public var value: Data { state.value.value }

    /// Whether at least one connected central is subscribed.
    public var isSubscribed: Bool { state.value.isSubscribed }

    /// Called when ``isSubscribed`` has changed.
    ///
    /// BlueZ reports neither which nor how many centrals are subscribed, unless `subscriptions` is
    /// `.perCentral`.
    public var onSubscriptionChange: (@isolated(any) (Bool) -> Void)? {
        get { subscriptionHandler.value.value }
        set { subscriptionHandler.value = UncheckedTransfer(newValue) }
    }

    /// Whether subscribers are distinguished.
    public let subscriptions: SubscriptionMode

    /// The subscribed centrals that can receive a value, in the order of their subscriptions; empty unless
    /// `subscriptions` is `.perCentral`.
    ///
    /// Up to BlueZ 5.69 only the first subscriber is reported, and its unsubscription only if no others
    /// remain. When an unbonded central disconnects, BlueZ may end the subscription of another: that one is
    /// no longer listed, stays connected, and receives nothing until it subscribes again. A bonded central
    /// that returns must also subscribe again.
    ///
    /// Outside the server's loop, MTUs and counts are those of the last ``onSubscribersChange``.
    public var subscribers: [Subscriber] {
        let state = state.value
        guard state.context?.isCurrent == true else { return state.subscribers }
        return requestHandler?.subscribers?.subscribers ?? []
    }

    /// Called with ``subscribers`` when a central has subscribed or unsubscribed.
    public var onSubscribersChange: (@isolated(any) ([Subscriber]) -> Void)? {
        get { subscribersHandler.value.value }
        set { subscribersHandler.value = UncheckedTransfer(newValue) }
    }

    /// Called for each change of a subscription, if `subscriptions` is `.perCentral`: before
    /// ``onSubscribersChange`` for a new one, otherwise after it.
    ///
    /// If BlueZ may have closed the socket of a subscriber by mistake, the call follows within 5 s.
    package var onSubscriberChange: ((SubscriberChange<PeripheralIdentifier>) -> Void)?

    /// Called when a central has confirmed an indication; BlueZ does not report which one.
    public var onConfirm: (@isolated(any) () -> Void)? {
        get { confirmHandler.value.value }
        set { confirmHandler.value = UncheckedTransfer(newValue) }
    }

    /// The longest time until a handler has answered a request, which is refused then: 0.9 seconds, unless it
    /// is set to another value of at most 4.5 seconds.
    ///
    /// > Warning: If a central leaves while its request waits, bluetoothd crashes five seconds after the request:
    /// > all links of the machine end. The longer requests wait, the more often that happens. Answer a slow
    /// > request at once, and send its result as a notification.
    public var responseTimeout: Duration {
        get { timeout.value }
        set { timeout.value = ResponseTimeout.bounded(newValue) }
    }

    private let timeout = LockedValue(ResponseTimeout.initial)

    let onRead: (@isolated(any) (ReadRequest) -> Void)?
    let onWrite: (@isolated(any) (WriteRequest) -> Void)?
    private(set) weak var requestHandler: CharacteristicRequestHandler?

    private struct State: Swift.Sendable {
        var value = Data()
        var isSubscribed = false
        var subscribers: [Subscriber] = []
        /// The context of the server's loop, while the characteristic is published.
        var context: MainContext?
    }

    private typealias Handler<Value> = UncheckedTransfer<(@isolated(any) (Value) -> Void)?>

    private let state: LockedValue<State>
    private let subscriptionHandler = LockedValue(Handler<Bool>(nil))
    private let subscribersHandler = LockedValue(Handler<[Subscriber]>(nil))
    private let confirmHandler = LockedValue(UncheckedTransfer<(@isolated(any) () -> Void)?>(nil))

    /// Creates a characteristic that holds its value.
    ///
    /// - Parameters:
    ///   - uuid: The UUID of the characteristic, such as `"FFE1"`.
    ///   - properties: The operations that centrals may perform; by default they read the value and subscribe to
    ///     it. Writes replace it, if the properties allow them.
    ///   - value: The initial value.
    ///   - descriptors: Its descriptors.
    ///   - subscriptions: Whether subscribers are distinguished.
    public init(
        uuid: BluetoothUUID,
        properties: AttributeProperties = [.read, .notify],
        value: Data = Data(),
        descriptors: [LocalDescriptor] = [],
        subscriptions: SubscriptionMode = .shared
    ) {
        self.uuid = uuid
        self.properties = properties
        state = LockedValue(State(value: value))
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
    ///   - onRead: Called on the server's loop, or on the actor of the closure; answers a read within
    ///     ``responseTimeout``, from any thread; nil reads ``value``. While 256 requests wait for the actor,
    ///     further ones are refused with 0x0E. Requests that end while they wait are skipped.
    ///   - onWrite: Answers a write, as `onRead` does; nil sets ``value``.
    public init(
        uuid: BluetoothUUID,
        properties: AttributeProperties,
        descriptors: [LocalDescriptor] = [],
        subscriptions: SubscriptionMode = .shared,
        onRead: (@isolated(any) (ReadRequest) -> Void)? = nil,
        onWrite: (@isolated(any) (WriteRequest) -> Void)? = nil
    ) {
        self.uuid = uuid
        self.properties = properties
        self.descriptors = descriptors
        self.subscriptions = subscriptions
        self.onRead = onRead
        self.onWrite = onWrite
        state = LockedValue(State())
    }

    /// Sets the value that centrals read, without notifying subscribers.
    ///
    /// - Parameter value: At most 512 bytes.
    /// - Throws: ``BluejayError/valueTooLong(length:limit:)``.
    public func setValue(_ value: Data) throws {
        store(try AttributeValueRules.checked(value))
    }

    func store(_ value: Data) {
        state.update { $0.value = value }
    }

    /// Attaches the request handler; `nil` lets the characteristic be published again.
    func attach(_ handler: CharacteristicRequestHandler?) {
        requestHandler = handler
        let context = handler?.context
        state.update {
            $0.context = context
            if context == nil { $0.subscribers = [] }
        }
    }

    func setSubscribed(_ isSubscribed: Bool) {
        state.update { $0.isSubscribed = isSubscribed }
    }

    func setSubscribers(_ subscribers: [Subscriber]) {
        state.update { $0.subscribers = subscribers }
    }
}
