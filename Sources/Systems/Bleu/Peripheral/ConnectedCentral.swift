internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGATTServer
internal import BluejayGLib
internal import FoundationEssentials

/// One central: its messages, its sessions and its calls.
///
/// Confined to the loop of the host.
final class ConnectedCentral {
    /// A program on the central, as its frames name it.
    private struct Session {
        let number: UInt16
        /// The number of its first frame among those of all centrals.
        let firstFrame: Int
        var cipher: (any SessionCipher)?
    }

    /// The number of programs on one central.
    private static let maximumSessionCount = 4
    /// The maximum number of waiting messages, and the number from which on no refusal is sent.
    private static let maximumMessageCount = 256
    private static let maximumRefusalCount = 64

    private let context: PeripheralContext
    private let abandoned: AbandonedWork
    private let isFirst: (ConnectedCentral, UInt16) -> Bool
    private let isOnlySubscriber: (ConnectedCentral, Int, ActorService) -> Bool
    /// Whether the central has written a frame on its link.
    private var writesFrames = false
    private var transport: BLETransport
    /// The sessions, the last used one at the end.
    private var sessions: [Session] = []
    private var frameSize = 20
    private var calls: [UUID: CentralCalls] = [:]
    /// `nil` if bluetoothd has not named the central.
    private let outbox: Outbox?
    private var timer: ScheduledTimer?
    /// The methods of incomplete messages.
    private var partialMessages: [CentralCalls.Key: MethodEndpoint] = [:]

    /// Creates a central.
    ///
    /// - Parameters:
    ///   - central: `nil` if bluetoothd has not named it.
    ///   - context: The shared subjects.
    ///   - abandoned: The methods that run on without a caller.
    ///   - isFirst: Returns whether no other central has had a session for longer. The replies of others must
    ///     not be broadcast.
    ///   - isOnlySubscriber: Returns whether no other central has the stream of a subscription of a method.
    init(
        _ central: PeripheralIdentifier?,
        _ context: PeripheralContext,
        _ abandoned: AbandonedWork,
        isFirst: @escaping (ConnectedCentral, UInt16) -> Bool,
        isOnlySubscriber: @escaping (ConnectedCentral, Int, ActorService) -> Bool
    ) {
        self.context = context
        self.abandoned = abandoned
        self.isFirst = isFirst
        self.isOnlySubscriber = isOnlySubscriber
        outbox = central.map { Outbox(context.server, $0) }
        transport = BLETransport(
            receiving: .fromCentral,
            limits: context.configuration.transportLimits
        )
    }

    /// Returns the number of the first frame of a session, or `nil` if the central does not have it.
    func firstFrame(of session: UInt16) -> Int? {
        sessions.first { $0.number == session }?.firstFrame
    }

    /// Updates the address of the central, which pairing has replaced.
    func moved(to central: PeripheralIdentifier) {
        outbox?.central = central
        for calls in calls.values { calls.central = central.uuid }
    }

    /// Calls a method whose stream the central receives as plain elements, unless it writes frames.
    func subscribed(_ method: Int, of service: ActorService) {
        guard !writesFrames, let call = service.call(method, namedTarget: nil, Data("[]".utf8))
        else {
            return
        }
        calls(of: service).subscribe(call)
    }

    /// Ends the streams of subscriptions, and starts none from now on.
    func noteFrame() {
        guard !writesFrames else { return }
        writesFrames = true
        for calls in calls.values { calls.endSubscriptions() }
    }

    /// Whether a subscription of a method has a stream.
    func hasSubscription(_ method: Int, of service: ActorService) -> Bool {
        calls[service.id]?.hasSubscription(method) == true
    }

    /// Answers of a method no longer reach the central.
    func unsubscribed(_ method: Int, of service: ActorService) {
        calls[service.id]?.unsubscribed(method)
    }

    func end() {
        for calls in calls.values { calls.end() }
        outbox?.removeAll()
    }

    // MARK: Requests

    func read(_ request: ReadRequest, _ method: Int, of service: ActorService) {
        updateFrameSize(request.mtu)
        guard let call = service.call(method, namedTarget: nil, Data("[]".utf8)) else {
            return request.reject(.unlikelyError)
        }
        calls(of: service).read(call, request)
    }

    /// Receives a frame.
    ///
    /// - Parameters:
    ///   - request: The write request, which is accepted.
    ///   - session: The session of the frame.
    ///   - method: The method of the characteristic.
    ///   - service: The service of the characteristic.
    ///   - number: The number of the frame among those of all centrals.
    func receive(
        _ request: WriteRequest,
        _ session: UInt16,
        _ method: Int,
        of service: ActorService,
        number: Int
    ) {
        updateFrameSize(request.mtu)
        let endpoint = MethodEndpoint(service: service, method: method)
        let index = useSession(session, firstFrame: number)
        transport.cipher = sessions[index].cipher
        let outcome = transport.receive(
            request.value,
            on: endpoint.characteristic.uuid.canonicalText,
            now: context.clock.now
        )
        sessions[index].cipher = transport.cipher
        switch outcome {
        case .message(let message): receive(message, endpoint)
        case .unsupportedVersion(_, let session, let call):
            refuse(.incompatibleVersion, session, call, endpoint)
        case .damaged(let session?, let call?):
            let isEncrypted = context.configuration.encryption == .aesGCM
            let reason: Refusal = transport.cipher == nil ? .cipherRequired : .cipherFailed
            refuse(isEncrypted ? reason : .invalidData, session, call, endpoint)
        case .incomplete:
            if let frame = Frame(request.value) {
                partialMessages[CentralCalls.Key(session: session, call: frame.call)] = endpoint
            }
        case .damaged, .ignored: break
        }
        scheduleExpiry()
    }

    private struct MethodEndpoint {
        let service: ActorService
        let method: Int

        var characteristic: LocalCharacteristic { service.characteristics[method] }
    }

    private func updateFrameSize(_ mtu: Int?) {
        // The MTU of a link never shrinks.
        frameSize = max(frameSize, min(ATTLimits.maximumValueLength, ATTLimits.payload(mtu: mtu)))
    }

    /// Returns the index of a session, which starts if the central does not have it.
    private func useSession(_ number: UInt16, firstFrame: Int) -> Int {
        let index = sessions.firstIndex { $0.number == number }
        let session =
            index.map { sessions.remove(at: $0) }
            ?? Session(number: number, firstFrame: firstFrame)
        if sessions.count == Self.maximumSessionCount { sessions.removeFirst() }
        sessions.append(session)
        return sessions.count - 1
    }

    /// Frees the memory of messages that are never completed.
    private func scheduleExpiry() {
        if transport.messageCount == 0 || partialMessages.count > Self.maximumMessageCount {
            partialMessages = [:]
        }
        timer = context.clock.schedule(at: transport.nextDeadline) { [weak self] in
            guard let self else { return }
            for (session, call) in transport.expire(now: context.clock.now) {
                let key = CentralCalls.Key(session: session, call: call)
                guard let endpoint = partialMessages[key] else { continue }
                refuse(.timedOut, session, call, endpoint)
            }
            scheduleExpiry()
        }
    }

    // MARK: Messages

    private func receive(_ message: Message, _ endpoint: MethodEndpoint) {
        if message.kind == .hello { return agree(message, endpoint) }
        guard context.configuration.encryption != .aesGCM || transport.cipher != nil else {
            return refuse(.cipherRequired, message.session, message.call, endpoint)
        }
        let key = CentralCalls.Key(session: message.session, call: message.call)
        let calls = calls(of: endpoint.service)
        switch message.kind {
        case .call: call(message, key, endpoint)
        case .fetch: calls.fetch(endpoint.method, key)
        case .cancel: calls.cancel(key)
        case .credit where message.body.count == 4:
            calls.credit(message.body.littleEndian(UInt32.self, at: 0), key)
        default: refuse(.invalidData, message.session, message.call, endpoint)
        }
    }

    private func call(_ message: Message, _ key: CentralCalls.Key, _ endpoint: MethodEndpoint) {
        var target: String?
        var arguments = message.body
        if message.flags.contains(.namesTarget) {
            let parts = message.body.split(separator: 0, maxSplits: 1)
            guard parts.count == 2 else {
                return refuse(.invalidData, message.session, message.call, endpoint)
            }
            target = String(decoding: parts[0], as: UTF8.self)
            arguments = Data(parts[1])
        }
        guard let call = endpoint.service.call(endpoint.method, namedTarget: target, arguments)
        else {
            return refuse(.unknownMethod, message.session, message.call, endpoint)
        }
        let needsReply = !message.flags.contains(.needsNoReply)
        calls(of: endpoint.service).call(call, key, needsReply: needsReply)
    }

    private func agree(_ message: Message, _ endpoint: MethodEndpoint) {
        guard context.configuration.encryption == .aesGCM,
            let agreement = context.configuration.sessionCipher?.makeKeyAgreement(),
            let cipher = try? agreement.makeCipher(peerKey: message.body, isCentral: false),
            let index = sessions.firstIndex(where: { $0.number == message.session })
        else { return refuse(.cipherFailed, message.session, message.call, endpoint) }
        sessions[index].cipher = cipher
        let reply = Message(
            kind: .helloReply,
            session: message.session,
            call: message.call,
            body: agreement.publicKey
        )
        send(reply, endpoint) { _ in }
    }

    // MARK: Answers

    private func calls(of service: ActorService) -> CentralCalls {
        if let calls = calls[service.id] { return calls }
        let settings = ServedCallStateMachine.Settings(
            queueCapacity: context.configuration.maximumQueuedCalls,
            maximumByteCount: 2 * context.configuration.messageLength,
            maximumReadLength: ATTLimits.maximumValueLength
        )
        let calls = CentralCalls(
            outbox?.central.uuid,
            settings: settings,
            abandoned: abandoned,
            context
        ) { [weak self, weak service] content, method, completion in
            guard let self, let service else { return completion(.failed) }
            let endpoint = MethodEndpoint(service: service, method: method)
            switch content {
            case .message(let message):
                send(message, endpoint) { completion($0 ? .sent : .failed) }
            case .element(let json): notify(json, endpoint, completion)
            }
        }
        self.calls[service.id] = calls
        return calls
    }

    private func refuse(
        _ refusal: Refusal,
        _ session: UInt16,
        _ call: UInt16,
        _ endpoint: MethodEndpoint
    ) {
        // A central that floods the peripheral receives few refusals.
        guard let outbox, outbox.count < Self.maximumRefusalCount else { return }
        send(Message(refusal, session, call), endpoint) { _ in }
    }

    /// Whether a message may be sent without a cipher.
    private func isReadable(_ message: Message) -> Bool {
        context.configuration.encryption != .aesGCM || message.kind == .refusal
            || message.kind == .helloReply
    }

    private func send(
        _ message: Message,
        _ endpoint: MethodEndpoint,
        _ completion: @escaping (Bool) -> Void
    ) {
        guard let outbox else { return completion(false) }
        let session = message.session
        guard context.server.addressing == .unicast || isFirst(self, session) else {
            return completion(false)
        }
        let index = sessions.firstIndex { $0.number == message.session }
        transport.cipher = index.flatMap { sessions[$0].cipher }
        let isSealed = transport.cipher != nil
        guard isSealed || isReadable(message) else { return completion(false) }
        do {
            let frames = try transport.frames(
                of: message,
                frameSize: frameSize,
                on: endpoint.characteristic.uuid.canonicalText
            )
            if let index { sessions[index].cipher = transport.cipher }
            let bytes = frames.content.count
            let limit = 3 * context.configuration.messageLength
            guard outbox.count < Self.maximumMessageCount, outbox.bytes + bytes <= limit else {
                context.log.warning(
                    "calls dropped: the central does not receive the answers",
                    ["central": "\(outbox.central)"]
                )
                return end()
            }
            outbox.send(
                frames,
                bytes: bytes,
                on: endpoint.characteristic,
                isOrdered: isSealed,
                mayBroadcast: { [weak self] in self.map { $0.isFirst($0, session) } ?? false },
                completion: completion
            )
        } catch {
            completion(false)
            guard message.kind != .refusal else { return }
            refuse(.tooLong, message.session, message.call, endpoint)
        }
    }

    /// Sends an element as it is.
    private func notify(
        _ json: Data,
        _ endpoint: MethodEndpoint,
        _ completion: @escaping (CentralCalls.Delivery) -> Void
    ) {
        guard let outbox else { return completion(.failed) }
        guard json.count <= elementLimit(endpoint.characteristic, outbox.central) else {
            return completion(.tooLong)
        }
        outbox.send(
            CollectionOfOne(json),
            bytes: json.count,
            on: endpoint.characteristic,
            isOrdered: false,
            mayBroadcast: { [weak self] in
                self.map { $0.isOnlySubscriber($0, endpoint.method, endpoint.service) } ?? false
            }
        ) { completion($0 ? .sent : .failed) }
    }

    /// The longest notification that is not cut.
    private func elementLimit(
        _ characteristic: LocalCharacteristic,
        _ central: PeripheralIdentifier
    ) -> Int {
        let subscribers = characteristic.subscribers
        let own = subscribers.first { $0.central.uuid == central.uuid }?.maximumValueLength
        let limit = max(frameSize, own ?? 0)
        guard context.server.addressing == .broadcast else { return limit }
        // Each subscriber receives the element.
        let others = subscribers.filter { $0.central.uuid != central.uuid }
        return others.map(\.maximumValueLength).reduce(limit, min)
    }
}
