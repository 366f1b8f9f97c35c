internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

/// Replies to bluetoothd's reads and writes of one characteristic or descriptor.
final class AttributeRequestHandler: AttributeHandler {
    /// The holder of the value and the handlers.
    struct Source {
        /// For the log.
        let uuid: BluetoothUUID
        var get: () -> Data
        var set: (Data) -> Void
        var timeout: () -> Duration
        var onRead: ((ReadRequest) -> Void)?
        var onWrite: ((WriteRequest) -> Void)?
        /// Whether bluetoothd waits for the reply to a write; with `writeWithoutResponse` it confirms each
        /// write itself.
        var awaitsWrites = true

        init(_ characteristic: LocalCharacteristic, on context: MainContext) {
            uuid = characteristic.uuid
            get = { characteristic.value }
            set = { characteristic.store($0) }
            timeout = { characteristic.responseTimeout }
            let waiting = WaitingCalls(limit: SerialHandlerQueue.maximumRequestCount)
            onRead = characteristic.onRead.map { context.callback(limitedBy: waiting, $0) }
            onWrite = characteristic.onWrite.map { context.callback(limitedBy: waiting, $0) }
            awaitsWrites = !characteristic.properties.contains(.writeWithoutResponse)
        }

        init(_ descriptor: LocalDescriptor, on context: MainContext) {
            uuid = descriptor.uuid
            get = { descriptor.value }
            set = { descriptor.store($0) }
            timeout = { descriptor.responseTimeout }
            let waiting = WaitingCalls(limit: SerialHandlerQueue.maximumRequestCount)
            onRead = descriptor.onRead.map { context.callback(limitedBy: waiting, $0) }
            onWrite = descriptor.onWrite.map { context.callback(limitedBy: waiting, $0) }
        }
    }

    private let source: Source
    private let client: BlueZClient
    private let centrals: CentralTracker
    private let requests: CentralRequestLimiter
    private let log: Log
    private var longReads = LongReads<BlueZPath?>()

    init(_ source: Source, _ context: ServiceContext) {
        self.source = source
        client = context.client
        centrals = context.centrals
        requests = context.requests
        log = context.log
    }

    func forget(_ device: BlueZPath) {
        longReads.forget(device)
    }

    func read(_ call: AttributeRequest) {
        if log.isTracing { log.trace("read requested", details(call)) }
        if let central = call.device { centrals.attributeAccessed(by: central) }
        requests.recordMTU(call)
        if let value = longReads.value(
            for: call.device,
            offset: call.offset,
            at: client.clock.now
        ) {
            return reply(call, value)
        }
        guard let onRead = source.onRead else { return reply(call, source.get()) }
        guard requests.canAccept(call) else { return rejectOverflow(call) }
        let responder = makeResponder(to: call, isAwaited: true) { [weak self] in
            if let self { reply(call, $0) } else { call.reject(.unlikelyError) }
        }
        onRead(ReadRequest(origin(call), responder: responder))
    }

    private func reply(_ call: AttributeRequest, _ value: Data) {
        guard value.count <= ATTLimits.maximumValueLength else {
            return call.reject(.unlikelyError)
        }
        guard let part = AttributeValueRules.part(of: value, from: call.offset) else {
            return call.reject(.invalidOffset)
        }
        if call.offset == 0 {
            longReads.store(value, for: call.device, mtu: call.mtu, at: client.clock.now)
        }
        call.reply(part)
    }

    func write(_ call: AttributeRequest) {
        if log.isTracing { log.trace("write requested", details(call)) }
        if let central = call.device { centrals.attributeAccessed(by: central) }
        requests.recordMTU(call)
        guard let onWrite = source.onWrite else { return store(call) }
        guard requests.canAccept(call) else { return rejectOverflow(call) }
        let responder: RequestResponder<Void> = makeResponder(
            to: call,
            isAwaited: source.awaitsWrites || call.isPrepareAuthorization
        ) { call.accept() }
        onWrite(
            WriteRequest(
                origin(call),
                value: call.value,
                isPrepareAuthorization: call.isPrepareAuthorization,
                responder: responder
            )
        )
    }

    private func makeResponder<Value: Swift.Sendable>(
        to call: AttributeRequest,
        isAwaited: Bool,
        _ accept: @escaping (Value) -> Void
    ) -> RequestResponder<Value> {
        let responder = RequestResponder<Value>(
            on: client.context,
            clock: client.clock,
            timeout: source.timeout(),
            isAwaited: isAwaited
        ) { [weak self, weak requests] responder, outcome in
            requests?.remove(call, responder)
            switch outcome {
            case .success(let value): accept(value)
            case .failure(let error): call.reject(error)
            case .unanswered: self?.rejectUnanswered(call) ?? call.reject(.unlikelyError)
            case .queueFull:
                requests?.requestRejected()
                self?.rejectOverflow(call) ?? call.reject(.unlikelyError)
            // bluetoothd ignores the reply.
            case .centralDisconnected: call.reject(.unlikelyError)
            }
        }
        requests.add(call, responder)
        return responder
    }

    private func store(_ call: AttributeRequest) {
        // BlueZ requests permission for the first parts of a long write before any is stored.
        if call.isPrepareAuthorization { return call.accept() }
        switch AttributeValueRules.value(source.get(), writing: call.value, at: call.offset) {
        case .changed(let value):
            source.set(value)
            call.accept()
        case .rejected(let error): call.reject(error)
        }
    }

    // BlueZ cannot send 0x11, insufficient resources.
    private func rejectOverflow(_ call: AttributeRequest) {
        log.debug("request rejected: queue full", details(call))
        call.reject(.unlikelyError)
    }

    // The log is the only report that a central was left waiting.
    private func rejectUnanswered(_ call: AttributeRequest) {
        log.warning("request not completed", details(call))
        call.reject(.unlikelyError)
    }

    private func details(_ call: AttributeRequest) -> LogDetails {
        [
            "characteristic": "\(source.uuid)",
            "central": call.device.flatMap { centrals.identifier(of: $0) }.map { "\($0)" } ?? "",
            "offset": "\(call.offset)", "bytes": "\(call.value.count)",
        ]
    }

    private func origin(_ call: AttributeRequest) -> RequestOrigin {
        RequestOrigin(
            central: call.device.flatMap { centrals.identifier(of: $0) },
            offset: call.offset,
            mtu: call.mtu
        )
    }
}

extension MainContext {
    /// Returns a handler that skips the requests that end while they wait for an actor, and refuses those for
    /// which there is no room.
    fileprivate func callback<Request: CentralRequest>(
        limitedBy waiting: WaitingCalls,
        _ handler: @escaping @isolated(any) (Request) -> Void
    ) -> (Request) -> Void {
        callback(limitedBy: waiting, handler) {
            !$0.isOver
        } reject: {
            $0.rejectOverflow()
        }
    }
}
