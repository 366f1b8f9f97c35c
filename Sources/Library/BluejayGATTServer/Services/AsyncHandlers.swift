internal import BluejayCore
internal import BluejayGLib

extension LocalCharacteristic {
    /// Creates a characteristic with asynchronous handlers.
    ///
    /// The handlers run in a task, one request at a time in the order of the requests, so that two writes are
    /// never swapped. A request that is not answered within ``responseTimeout`` of its arrival, 0.9 seconds by
    /// default, is refused, and its ``WriteRequest/isOver`` becomes true. A slow handler therefore makes later
    /// requests fail; the handler is not called for them. While 64 requests of a central await an answer, or 256 of all centrals
    /// wait for the handler, further ones are refused with 0x0E.
    ///
    /// ```swift
    /// LocalCharacteristic(
    ///     uuid: level,
    ///     properties: [.read],
    ///     onRead: { request in
    ///         request.respond(with: await store.level())
    ///     }
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - uuid: The UUID of the characteristic.
    ///   - properties: The operations that centrals may perform.
    ///   - descriptors: Its descriptors.
    ///   - subscriptions: Whether subscribers are distinguished.
    ///   - onRead: Answers a read; nil reads ``value``.
    ///   - onWrite: Answers a write; nil sets ``value``.
    public convenience init(
        uuid: BluetoothUUID,
        properties: AttributeProperties,
        descriptors: [LocalDescriptor] = [],
        subscriptions: SubscriptionMode = .shared,
        onRead: (@Sendable (ReadRequest) async -> Void)?,
        onWrite: (@Sendable (WriteRequest) async -> Void)? = nil
    ) {
        let queue = SerialHandlerQueue()
        let read: ((ReadRequest) -> Void)? = queue.handler(onRead)
        let write: ((WriteRequest) -> Void)? = queue.handler(onWrite)
        self.init(
            uuid: uuid,
            properties: properties,
            descriptors: descriptors,
            subscriptions: subscriptions,
            onRead: read,
            onWrite: write
        )
    }

    /// Creates a characteristic whose writes are handled asynchronously, and whose reads return ``value``.
    ///
    /// - Parameters:
    ///   - uuid: The UUID of the characteristic.
    ///   - properties: The operations that centrals may perform.
    ///   - descriptors: Its descriptors.
    ///   - subscriptions: Whether subscribers are distinguished.
    ///   - onWrite: Answers a write, as in the form with both handlers.
    public convenience init(
        uuid: BluetoothUUID,
        properties: AttributeProperties,
        descriptors: [LocalDescriptor] = [],
        subscriptions: SubscriptionMode = .shared,
        onWrite: @escaping @Sendable (WriteRequest) async -> Void
    ) {
        self.init(
            uuid: uuid,
            properties: properties,
            descriptors: descriptors,
            subscriptions: subscriptions,
            onRead: nil as (@Sendable (ReadRequest) async -> Void)?,
            onWrite: onWrite
        )
    }
}
