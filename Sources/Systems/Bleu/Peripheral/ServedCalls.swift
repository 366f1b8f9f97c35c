internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGATTServer
internal import BluejayGLib
internal import FoundationEssentials

/// Performs the calls of one central to one actor.
///
/// Confined to the loop of the host.
final class ServedCalls {
    typealias Key = ServedCallStateMachine.Key
    /// Sends a message through the characteristic of a method; the completion has the result.
    typealias Send = (Message, _ method: Int, @escaping (_ isSent: Bool) -> Void) -> Void

    struct Call {
        let method: Int
        let target: String
        let arguments: Data
        let actor: ServedActor
        fileprivate var request: ReadRequest?
        fileprivate var task: Task<Void, Never>?
        fileprivate var result = MethodResult.nothing
        fileprivate let token = AbandonedWork.Token()

        init(_ method: Int, _ target: String, _ arguments: Data, of actor: ServedActor) {
            self.method = method
            self.target = target
            self.arguments = arguments
            self.actor = actor
        }
    }

    private struct OpenStream {
        let key: Key
        let stream: ServedStream
    }

    /// The identifier of the central, which pairing may change.
    var central: UUID?

    private let allowance: Int
    private let abandoned: AbandonedWork
    private let tasks: MethodTasks
    private let clock: any EventClock
    private let send: Send
    private let actions = ActionQueue<ServedCallStateMachine.Action>()
    private var machine: ServedCallStateMachine
    private var calls: [Int: Call] = [:]
    private var streams: [Int: OpenStream] = [:]
    private var lastTicket = 0
    private var timer: ScheduledTimer?

    init(
        _ central: UUID?,
        _ settings: ServedCallStateMachine.Settings,
        _ abandoned: AbandonedWork,
        _ tasks: MethodTasks,
        _ clock: any EventClock,
        send: @escaping Send
    ) {
        self.central = central
        machine = ServedCallStateMachine(settings)
        allowance = settings.queueCapacity
        self.abandoned = abandoned
        self.tasks = tasks
        self.clock = clock
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
        perform(machine.unsubscribed(method))
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
            send(Message(call.result, key), call.method) { _ in }
        case .refuse(let key, let refusal, let method):
            send(Message(refusal, key.session, key.call), method) { _ in }
        case .startStream(let ticket, let key): startStream(ticket, key)
        case .endStream(let ticket):
            let token = AbandonedWork.Token()
            abandoned.add(token, of: central)
            streams.removeValue(forKey: ticket)?.stream.stop { [abandoned] in
                abandoned.remove(token)
            }
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
            [method = call.actor.call, target = call.target, arguments = call.arguments] in
            await method(target, arguments)
        }
        calls[ticket]?.task = tasks.start(work) {
            [weak self, abandoned, token = call.token] result in
            abandoned.remove(token)
            guard let self else { return }
            calls[ticket]?.result = result
            perform(machine.finished(ticket, Self.outcome(result)))
        }
    }

    private func startStream(_ ticket: Int, _ key: Key) {
        guard let call = calls[ticket], case .stream(let producer) = call.result else { return }
        let method = call.method
        let stream = ServedStream(producer, tasks) { [send] kind, body, completion in
            let message = Message(kind: kind, session: key.session, call: key.call, body: body)
            send(message, method, completion)
        } onEnd: { [weak self] in
            guard let self else { return }
            perform(machine.streamEnded(ticket))
        }
        streams[ticket] = OpenStream(key: key, stream: stream)
        send(Message(call.result, key), method) { _ in }
        stream.start()
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
