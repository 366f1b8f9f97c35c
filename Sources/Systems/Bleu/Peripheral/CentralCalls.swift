internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGATTServer
internal import BluejayGLib
internal import FoundationEssentials

/// Performs the calls of one central to one actor.
///
/// Confined to the loop of the host.
final class CentralCalls {
    typealias Key = ServedCallStateMachine.Key
    /// Sends content through the characteristic of a method; the completion has the result.
    typealias Send = (Content, _ method: Int, @escaping (Delivery) -> Void) -> Void

    enum Content {
        case message(Message)
        /// An element of the stream of a subscription, as JSON.
        case element(Data)
    }

    enum Delivery {
        case sent
        case failed
        /// An element does not fit a notification.
        case tooLong
    }

    struct Call {
        let method: Int
        let target: String
        let arguments: Data
        let actor: LocalActor
        fileprivate var request: ReadRequest?
        fileprivate var task: Task<Void, Never>?
        fileprivate var result = MethodResult.nothing
        fileprivate let token = AbandonedWork.Token()

        init(_ method: Int, _ target: String, _ arguments: Data, of actor: LocalActor) {
            self.method = method
            self.target = target
            self.arguments = arguments
            self.actor = actor
        }
    }

    private struct OpenStream {
        /// `nil` for the stream of a subscription.
        let key: Key?
        let method: Int
        let stream: OutgoingStream
    }

    /// The time for a window of elements of a subscription, whose central grants no credits.
    ///
    /// A producer that never waits would fill the memory of bluetoothd.
    private static let refillPeriod = Duration.milliseconds(100)

    /// The identifier of the central, which pairing may change.
    var central: UUID?

    private let allowance: Int
    private let abandoned: AbandonedWork
    private let tasks: LoopTasks
    private let clock: any EventClock
    private let log: Log
    private let send: Send
    private let actions = ActionQueue<ServedCallStateMachine.Action>()
    private var machine: ServedCallStateMachine
    private var calls: [Int: Call] = [:]
    private var streams: [Int: OpenStream] = [:]
    private var lastTicket = 0
    private var timer: ScheduledTimer?
    private var refillTimer: ScheduledTimer?
    /// The last ending of a producer of a subscription by its method, which the next call of the method awaits: it may
    /// return the same stream.
    private var endings: [Int: Task<Void, Never>] = [:]

    init(
        _ central: UUID?,
        settings: ServedCallStateMachine.Settings,
        abandoned: AbandonedWork,
        _ context: PeripheralContext,
        send: @escaping Send
    ) {
        self.central = central
        machine = ServedCallStateMachine(settings)
        allowance = settings.queueCapacity
        self.abandoned = abandoned
        tasks = context.tasks
        clock = context.clock
        log = context.log
        self.send = send
    }

    // MARK: The central

    func call(_ call: Call, _ key: Key, needsReply: Bool) {
        let ticket = add(call, nil)
        let bytes = call.arguments.count
        perform(machine.called(ticket, call.method, key, bytes: bytes, needsReply: needsReply))
    }

    func read(_ call: Call, _ request: ReadRequest) {
        let ticket = add(call, request)
        perform(machine.read(ticket, call.method, now: clock.now))
    }

    func subscribe(_ call: Call) {
        let ticket = add(call, nil)
        perform(machine.subscribed(ticket, call.method))
    }

    /// Ends the streams of subscriptions: the central has written a frame.
    func endSubscriptions() {
        perform(machine.endSubscriptions())
    }

    func hasSubscription(_ method: Int) -> Bool { machine.hasSubscription(method) }

    func fetch(_ method: Int, _ key: Key) {
        perform(machine.fetched(method, key))
    }

    func cancel(_ key: Key) {
        perform(machine.cancelled(key))
    }

    func credit(_ total: UInt32, _ key: Key) {
        streams.values.first { $0.key == key }?.stream.credited(total)
    }

    /// Answers of a method no longer reach the central.
    func unsubscribed(_ method: Int) {
        perform(machine.unsubscribed(method, now: clock.now))
    }

    func end() {
        perform(machine.centralDisconnected())
    }

    private func add(_ call: Call, _ request: ReadRequest?) -> Int {
        let load = abandoned.load(of: central, allowance: allowance)
        machine.otherWork = max(0, load - machine.cancelledCount)
        lastTicket += 1
        calls[lastTicket] = call
        calls[lastTicket]?.request = request
        return lastTicket
    }

    // MARK: Actions

    private func perform(_ new: [ServedCallStateMachine.Action]) {
        actions.perform(new, perform)
    }

    private func perform(_ action: ServedCallStateMachine.Action) {
        switch action {
        case .run(let ticket): run(ticket)
        case .cancel(let ticket):
            guard let call = calls[ticket] else { return }
            abandoned.add(call.token, of: central)
            call.task?.cancel()
        case .respond(let ticket):
            if case .value(let value)? = calls[ticket]?.result {
                calls[ticket]?.request?.respond(with: value)
            } else {
                calls[ticket]?.request?.respond(with: Data())
            }
        case .rejectRead(let ticket, let refusal):
            calls[ticket]?.request?.reject(Self.error(refusal))
            calls[ticket]?.request = nil
        case .reply(let ticket, let key):
            guard let call = calls[ticket] else { return }
            send(.message(Message(call.result, key)), call.method) { _ in }
        case .logUnstarted(let ticket):
            guard let call = calls[ticket] else { return }
            logEnd(of: call.method, call.actor, call.result.failure?.type ?? "too many calls")
        case .refuse(let key, let refusal, let method):
            send(.message(Message(refusal, key.session, key.call)), method) { _ in }
        case .startStream(let ticket, let key): startStream(ticket, key)
        case .endStream(let ticket): endStream(ticket)
        case .discard(let ticket): calls[ticket] = nil
        case .setTimer(let instant):
            timer = clock.schedule(at: instant) { [weak self] in
                guard let self else { return }
                perform(machine.timerFired(now: clock.now))
            }
        }
    }

    private func run(_ ticket: Int) {
        guard let call = calls[ticket] else { return }
        let work: @Sendable () async -> MethodResult = {
            [
                ending = endings[call.method], method = call.actor.call, target = call.target,
                arguments = call.arguments
            ] in
            if let ending {
                await ending.value
                guard !Task.isCancelled else { return .nothing }
            }
            return await method(target, arguments)
        }
        calls[ticket]?.task = tasks.start(work) {
            [weak self, abandoned, token = call.token] result in
            abandoned.remove(token)
            guard let self else { return }
            calls[ticket]?.result = result
            perform(machine.finished(ticket, Self.outcome(result)))
        }
    }

    private func startStream(_ ticket: Int, _ key: Key?) {
        guard let call = calls[ticket], case .stream(let producer) = call.result else { return }
        let send = key.map { framed($0, call.method) } ?? plain(call.method, call.actor)
        let stream = OutgoingStream(producer, tasks, send: send) { [weak self] in
            guard let self else { return }
            perform(machine.streamEnded(ticket))
        }
        streams[ticket] = OpenStream(key: key, method: call.method, stream: stream)
        if let key {
            self.send(.message(Message(call.result, key)), call.method) { _ in }
        } else if refillTimer == nil {
            scheduleRefill()
        }
        stream.start()
    }

    private func endStream(_ ticket: Int) {
        guard let ended = streams.removeValue(forKey: ticket) else { return }
        let token = AbandonedWork.Token()
        abandoned.add(token, of: central)
        let ending = ended.stream.stop { [abandoned] in abandoned.remove(token) }
        if ended.key == nil, let ending { endings[ended.method] = ending }
    }

    /// Sends the parts of a stream as messages.
    private func framed(_ key: Key, _ method: Int) -> OutgoingStream.Send {
        { [send] part, completion in
            var message = Message(kind: .end, session: key.session, call: key.call)
            switch part {
            case .element(let number, let json):
                message.kind = .element
                message.body.append(littleEndian: number)
                message.body += json
            case .end(let error):
                message.body = error.flatMap { try? JSONValue.encode($0) } ?? Data()
            }
            send(.message(message), method) { completion($0 == .sent) }
        }
    }

    /// Sends the elements of a stream as they are, without those that are too long.
    private func plain(_ method: Int, _ actor: LocalActor) -> OutgoingStream.Send {
        var hasLogged = false
        return { [weak self, send] part, completion in
            guard case .element(_, let json) = part else {
                if case .end(let error?) = part { self?.logEnd(of: method, actor, error.type) }
                return
            }
            send(.element(json), method) { delivery in
                if delivery == .tooLong, !hasLogged {
                    hasLogged = true
                    self?.log.warning(
                        "elements left out: longer than a notification to this central",
                        ["method": actor.description.methods[method].name]
                    )
                }
                completion(delivery != .failed)
            }
        }
    }

    private func logEnd(of method: Int, _ actor: LocalActor, _ reason: String) {
        let name = actor.description.methods[method].name
        log.debug("stream of a subscription ended", ["method": name, "reason": reason])
    }

    private func scheduleRefill() {
        refillTimer = clock.schedule(after: Self.refillPeriod) { [weak self] in
            guard let self else { return }
            refillTimer = nil
            let subscribed = streams.values.filter { $0.key == nil }
            for open in subscribed { open.stream.refill() }
            if !subscribed.isEmpty { scheduleRefill() }
        }
    }

    private static func outcome(_ result: MethodResult) -> ServedCallStateMachine.Outcome {
        switch result {
        case .value(let value): .value(length: value.count)
        case .nothing: .value(length: 0)
        case .stream: .stream
        case .failure, .invalidArguments, .actorReleased: .failure
        }
    }

    private static func error(_ refusal: ServedCallStateMachine.ReadRejection) -> ATTError {
        switch refusal {
        case .failed: ATTError(code: 0x80)
        case .fetch: ATTError(code: 0x81)
        case .busy: .unlikelyError
        }
    }
}

extension MethodResult {
    fileprivate var failure: ThrownError? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension Message {
    /// The reply to a call.
    init(_ result: MethodResult, _ key: ServedCallStateMachine.Key) {
        self.init(kind: .nothing, session: key.session, call: key.call)
        switch result {
        case .value(let value):
            kind = .value
            body = value
        case .nothing: break
        case .stream: kind = .stream
        case .failure(let error):
            kind = .failure
            body = (try? JSONValue.encode(error)) ?? Data()
        case .invalidArguments: self = Message(.invalidArguments, key.session, key.call)
        case .actorReleased: self = Message(.actorReleased, key.session, key.call)
        }
    }

    init(_ refusal: Refusal, _ session: UInt16, _ call: UInt16) {
        let body = (try? JSONValue.encode(refusal)) ?? Data()
        self.init(kind: .refusal, session: session, call: call, body: body)
    }
}
