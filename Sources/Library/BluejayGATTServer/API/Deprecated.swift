public import BluejayCore

/// The former name of ``SubscriptionMode``.
@available(*, deprecated, renamed: "SubscriptionMode")
@_documentation(visibility: internal)
public typealias Subscriptions = SubscriptionMode

/// The former name of ``ActiveAdvertisement``.
@available(*, deprecated, renamed: "ActiveAdvertisement")
@_documentation(visibility: internal)
public typealias Advertising = ActiveAdvertisement

extension GATTServer {
    /// The former name of ``rejectedRequestCount``.
    @available(*, deprecated, renamed: "rejectedRequestCount")
    public var refusedRequestCount: Int { rejectedRequestCount }
}

extension ReadRequest {
    /// The former name of ``reject(_:)``.
    @available(*, deprecated, renamed: "reject(_:)")
    public func refuse(_ error: ATTError) { reject(error) }
}

extension WriteRequest {
    /// The former name of ``isPrepareAuthorization``.
    @available(*, deprecated, renamed: "isPrepareAuthorization")
    public var isQuestion: Bool { isPrepareAuthorization }

    /// The former name of ``reject(_:)``.
    @available(*, deprecated, renamed: "reject(_:)")
    public func refuse(_ error: ATTError) { reject(error) }
}

extension SubscriptionMode {
    /// The former name of ``shared``.
    @available(*, deprecated, renamed: "shared")
    public static var together: Self { .shared }
}

extension NotificationAddressing {
    /// The former name of ``broadcast``.
    @available(*, deprecated, renamed: "broadcast")
    public static var all: Self { .broadcast }

    /// The former name of ``unicast``.
    @available(*, deprecated, renamed: "unicast")
    public static var each: Self { .unicast }
}

extension Subscriber {
    /// The former name of ``droppedValueCount``.
    @available(*, deprecated, renamed: "droppedValueCount")
    public var lostValueCount: Int { droppedValueCount }
}
