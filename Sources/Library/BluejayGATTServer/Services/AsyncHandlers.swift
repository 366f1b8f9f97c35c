internal import BluejayCore
internal import BluejayGLib

/// Does what asynchronous handlers do: one after the other, in the order of the requests.
// The hold is used on the loop only: the invariant behind `@unchecked`.
final class SerialHandlerQueue: @unchecked Swift.Sendable {
    /// The most requests that wait for their turn; one more is refused.
    static let limit = 256

    private let continuation: AsyncStream<@Sendable () async -> Void>.Continuation

    /// A virtual time stands still while a request waits or is handled; nil where the time is the machine's.
    private var hold: ClockHold?

    init() {
        let (stream, continuation) = AsyncStream.makeStream(
            of: (@Sendable () async -> Void).self,
            bufferingPolicy: .bufferingOldest(Self.limit)
        )
        self.continuation = continuation
        Task { for await work in stream { await work() } }
    }

    deinit {
        continuation.finish()
    }

    private func hold(on context: MainContext) -> ClockHold? {
        hold = hold ?? ClockHold(on: context)
        return hold
    }

    /// A handler for the loop that has its requests handled here; those that are over by their turn are not.
    func handler<Request: CentralRequest>(
        _ handle: (@Sendable (Request) async -> Void)?
    ) -> ((Request) -> Void)? {
        guard let handle else { return nil }
        return { [self] request in
            let hold = hold(on: request.context)
            hold?.begin()
            let result = continuation.yield {
                if !request.isOver { await ClockHold.during(hold) { await handle(request) } }
                hold?.end()
            }
            if case .dropped = result {
                request.refuseOneMore()
                hold?.end()
            }
        }
    }
}

extension LocalCharacteristic {
    /// Makes a characteristic whose handlers are asynchronous.
    ///
    /// They run in a task, one request after the other in the order of the requests, so that two writes
    /// are never swapped. Each request is to be answered within 4.5 seconds of its coming, or it is refused
    /// and ``WriteRequest/isOver``: a handler that takes longer lets those behind it fail. One that is over by
    /// its turn is not handed to the handler. While 64 requests of a central wait for an answer, or 256 of all
    /// centrals for their turn, further ones are refused with 0x0E.
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
        let task = SerialHandlerQueue()
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
