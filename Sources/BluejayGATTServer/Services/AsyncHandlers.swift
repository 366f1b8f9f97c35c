internal import BluejayCore

/// Does what asynchronous handlers do: one after the other, in the order of the requests.
final class SerialTask: Swift.Sendable {
    private let continuation: AsyncStream<@Sendable () async -> Void>.Continuation

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: (@Sendable () async -> Void).self)
        self.continuation = continuation
        Task { for await work in stream { await work() } }
    }

    deinit {
        continuation.finish()
    }

    /// A handler for the loop that has its requests handled here.
    func handler<Request: Swift.Sendable>(
        _ handle: (@Sendable (Request) async -> Void)?
    ) -> ((Request) -> Void)? {
        guard let handle else { return nil }
        return { [self] request in continuation.yield { await handle(request) } }
    }
}

extension LocalCharacteristic {
    /// Makes a characteristic whose handlers are asynchronous.
    ///
    /// They run in a task, one request after the other in the order of the requests, so that two writes
    /// are never swapped. Each request is answered within five seconds of its coming: a handler that takes
    /// longer lets those behind it fail. While 64 requests of a central wait for an answer, further ones are
    /// refused with 0x0E.
    ///
    /// ```swift
    /// LocalCharacteristic(uuid: level, properties: [.read], onRead: { request in
    ///     request.respond(with: await store.level())
    /// })
    /// ```
    ///
    /// - Parameters:
    ///   - uuid: The UUID of the characteristic.
    ///   - properties: What centrals may do with it.
    ///   - descriptors: Its descriptors.
    ///   - subscriptions: How its subscribers are told apart.
    ///   - onRead: Answers a read; nil reads ``value``.
    ///   - onWrite: Answers a write; nil sets ``value``.
    public convenience init(
        uuid: BluetoothUUID,
        properties: AttributeProperties,
        descriptors: [LocalDescriptor] = [],
        subscriptions: Subscriptions = .together,
        onRead: (@Sendable (ReadRequest) async -> Void)?,
        onWrite: (@Sendable (WriteRequest) async -> Void)? = nil
    ) {
        let task = SerialTask()
        let read: ((ReadRequest) -> Void)? = task.handler(onRead)
        let write: ((WriteRequest) -> Void)? = task.handler(onWrite)
        self.init(
            uuid: uuid,
            properties: properties,
            descriptors: descriptors,
            subscriptions: subscriptions,
            onRead: read,
            onWrite: write
        )
    }

    /// Makes a characteristic whose writes are handled asynchronously, and whose reads give ``value``.
    ///
    /// - Parameters:
    ///   - uuid: The UUID of the characteristic.
    ///   - properties: What centrals may do with it.
    ///   - descriptors: Its descriptors.
    ///   - subscriptions: How its subscribers are told apart.
    ///   - onWrite: Answers a write, as that of the form with both.
    public convenience init(
        uuid: BluetoothUUID,
        properties: AttributeProperties,
        descriptors: [LocalDescriptor] = [],
        subscriptions: Subscriptions = .together,
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
