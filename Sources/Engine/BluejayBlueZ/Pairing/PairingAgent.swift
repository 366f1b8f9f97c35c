package import BluejayCore
package import BluejayDBus
internal import BluejayGLib

/// The pairing agent of one bus connection; each of its users answers for its own devices.
///
/// The agent is registered while it has users, with the abilities of all of them. It never asks to be the default
/// agent, but bluetoothd makes the first agent the default. bluetoothd sends it the requests of pairings that this bus
/// connection starts, and of others only if no other default agent exists.
///
/// Up to 5.66, a pairing uses the abilities of this agent. From 5.82 on, it uses those that the default agent had
/// when the link came up.
package final class PairingAgent {
    /// Passes a request to a user: the request, the device, the answer to complete.
    package typealias RequestHandler = (PairingRequest, ObjectPath, PairingResponder) -> Void

    /// A stopped bluetoothd replies when it resumes, however long that takes.
    private static let callTimeout = Duration.seconds(86_400)

    private struct Handler {
        let capability: AgentCapability
        let handle: RequestHandler
        var isPairing = false
    }

    private struct PendingRequest {
        var request: PairingRequest
        let device: ObjectPath
        let call: MethodInvocation
        /// Held by the user, who refuses by releasing it.
        weak var responder: PairingResponder?
        /// Set for a display, which remains open without an answer and may change.
        var display: (responder: PairingResponder, handler: RequestHandler)?
    }

    /// Whether this process has a link to a device; users that answer for centrals do not receive its
    /// requests.
    var isOwnLink: (ObjectPath) -> Bool = { _ in false }
    /// Receives a device whose pairing a user has rejected.
    var onRejection: (ObjectPath) -> Void = { _ in }

    private let client: BlueZClient
    private let exporter: ObjectExporter
    private let log: Log
    private var registration = AgentRegistrationStateMachine()
    private var machine = PairingRequestStateMachine()
    private let actions = ActionQueue<PairingRequestStateMachine.Action>()
    private var handlers: [PairingRequestStateMachine.HandlerID: Handler] = [:]
    private var capability = AgentCapability.keyboardAndDisplay
    private var lastUser = 0
    private var pendingRequests: [PairingRequestStateMachine.RequestID: PendingRequest] = [:]
    private var lastRequestID = 0
    private var timer: ScheduledTimer?
    /// The agent's path; `nil` while it is not exported.
    private var exported: (path: ObjectPath, objects: ObjectServer)?
    private var registrationTimer: ScheduledTimer?
    private var registrationWaiters: [() -> Void] = []
    private var rejections = PairingRejections()
    private var stateObservation: ObservationToken?
    private var changeObservation: ObservationToken?

    /// The agent shared by all users on the client's context.
    package static func shared(by client: BlueZClient) -> PairingAgent {
        client.context.sharedObject("PairingAgent " + client.address.text) { PairingAgent(client) }
    }

    init(_ client: BlueZClient) {
        self.client = client
        exporter = ObjectExporter.shared(by: client)
        log = Log("bluejay.pairing", to: client.logDispatcher)
        stateObservation = client.observe(.adapters) { [weak self] event in
            if case .stateChanged(let state) = event { self?.stateChanged(state) }
        }
        perform(registration.available(client.state == .running, now: client.clock.now))
    }

    // MARK: Users

    /// Adds a user, after the existing ones.
    package func addHandler(
        _ capability: AgentCapability = .keyboardAndDisplay,
        _ handler: @escaping RequestHandler
    ) -> PairingRegistration {
        lastUser += 1
        handlers[lastUser] = Handler(capability: capability, handle: handler)
        machine.handlerAdded(lastUser)
        updateRegistration()
        return PairingRegistration(self, lastUser)
    }

    fileprivate func setScope(
        _ handlerID: PairingRequestStateMachine.HandlerID,
        _ scope: AgentScope?
    ) {
        machine.setScope(handlerID, scope)
    }

    fileprivate func setPairing(
        _ handlerID: PairingRequestStateMachine.HandlerID,
        _ isPairing: Bool
    ) {
        handlers[handlerID]?.isPairing = isPairing
        updateRegistration()
    }

    fileprivate func removeHandler(_ handlerID: PairingRequestStateMachine.HandlerID) {
        handlers[handlerID] = nil
        perform(machine.handlerRemoved(handlerID))
        updateRegistration()
    }

    private func updateRegistration() {
        let now = client.clock.now
        // `Pair` has one agent for each bus connection, and the abilities of others must not change its method.
        let needed =
            handlers.values.filter(\.isPairing).map(\.capability).min()
            ?? handlers.values.map(\.capability).max()
        if let needed, needed != capability {
            capability = needed
            perform(registration.capabilityChanged(now: now))
        }
        perform(registration.requested(!handlers.isEmpty, now: now))
    }

    /// Replaces the address of a device after pairing.
    func addressChanged(from old: DeviceKey, to new: DeviceKey) {
        machine.addressChanged(from: old, to: new)
    }

    /// Calls `completion` when bluetoothd has accepted or refused the agent, immediately if that is known.
    func afterRegistration(_ completion: @escaping () -> Void) {
        guard registration.isAwaitingReply else { return completion() }
        registrationWaiters.append(completion)
    }

    /// Forgets earlier refusals, because a pairing starts.
    func pairingStarted(_ device: ObjectPath) { rejections.pairingStarted(device) }

    /// Returns whether a user refused a request of the pairing that has ended.
    func pairingEnded(_ device: ObjectPath) -> Bool { rejections.pairingEnded(device) }

    /// Ends all requests and displays of a device.
    func cancelRequests(_ device: ObjectPath) {
        let requestIDs = pendingRequests.filter { $0.value.device == device }.keys
        if !requestIDs.isEmpty { perform(machine.cancelRequests(Set(requestIDs))) }
    }

    // MARK: The agent

    private func stateChanged(_ state: BlueZClient.State) {
        if state != .running { perform(machine.cancelAllRequests()) }
        perform(registration.available(state == .running, now: client.clock.now))
    }

    private func perform(_ actions: [AgentRegistrationStateMachine.Action]) {
        for action in actions {
            switch action {
            case .register(let call): register(call)
            case .unregister:
                if let (path, _) = exported { unregister(path) }
                unexport()
            case .unexport: unexport()
            case .resumeWaiters:
                let waiters = registrationWaiters
                registrationWaiters = []
                for waiter in waiters { waiter() }
            case .setTimer(let instant):
                registrationTimer = client.clock.schedule(at: instant) { [weak self] in
                    self?.registrationTimerFired()
                }
            }
        }
    }

    private func registrationTimerFired() {
        let wasLate = registration.isLate
        perform(registration.timerFired(now: client.clock.now))
        if registration.isLate, !wasLate { log.warning("bluetoothd does not answer RegisterAgent") }
    }

    // bluetoothd sends no further request, whatever its reply.
    private func unregister(_ path: ObjectPath) {
        exporter.call(AgentManager1.unregisterAgent(path), timeout: Self.callTimeout) { _ in }
    }

    private func register(_ call: Int) {
        guard let objects = exporter.objects else {
            return perform(registration.registered(call, succeeded: false, now: client.clock.now))
        }
        let path = exporter.makePath("agent")
        exported = (path, objects)
        let handlers = Agent1.Handlers(
            requested: { [weak self] in self?.requestReceived($0, $1, $2) },
            cancelled: { [weak self] in
                guard let self else { return }
                perform(machine.cancelAllRequests())
            },
            released: { [weak self] in
                guard let self else { return }
                perform(machine.cancelAllRequests())
                perform(registration.released())
            }
        )
        let client = client
        let interface = Agent1.busInterface(isDaemon: { client.owner == $0 }, handlers)
        objects.export([interface], at: path)
        exporter.call(
            AgentManager1.registerAgent(path, capability: capability),
            timeout: Self.callTimeout
        ) { [weak self] result in
            guard let self else { return }
            if case .failure(let error) = result {
                log.warning("agent registration failed", ["error": error.description])
            } else if exported?.path != path {
                // The engine dropped the registration meanwhile, but bluetoothd accepted it.
                return unregister(path)
            }
            let succeeded = (try? result.get()) != nil
            perform(registration.registered(call, succeeded: succeeded, now: client.clock.now))
        }
    }

    private func unexport() {
        guard let (path, objects) = exported else { return }
        exported = nil
        objects.unexport(path)
    }

    // MARK: Requests

    private func requestReceived(
        _ request: PairingRequest,
        _ path: ObjectPath,
        _ call: MethodInvocation
    ) {
        lastRequestID += 1
        let requestID = lastRequestID
        pendingRequests[requestID] = PendingRequest(request: request, device: path, call: call)
        perform(
            machine.requestReceived(
                requestID,
                from: client.objects.deviceKey(path),
                isOwnLink: isOwnLink(path),
                isDisplay: request.isDisplay,
                now: client.clock.now
            )
        )
    }

    private func perform(_ new: [PairingRequestStateMachine.Action]) {
        actions.perform(new) { self.perform($0) }
        // Device changes end open requests, and are observed only while requests are open.
        guard machine.isIdle != (changeObservation == nil) else { return }
        changeObservation =
            machine.isIdle ? nil : client.observe { [weak self] in self?.receive($0) }
    }

    private func perform(_ action: PairingRequestStateMachine.Action) {
        switch action {
        case .forward(let handlerID, let requestID): forward(handlerID, requestID)
        case .update(let shown, let requestID):
            guard let new = pendingRequests.removeValue(forKey: requestID) else { return }
            pendingRequests[shown]?.request = new.request
            updateDisplay(shown)
        case .reply(let requestID, let reply): sendReply(requestID, reply)
        case .notifyEnded(let requestID):
            let ended = pendingRequests.removeValue(forKey: requestID)
            (ended?.display?.responder ?? ended?.responder)?.end()
        case .cancelPairing(let requestID):
            guard let one = pendingRequests[requestID] else { return }
            rejected(one)
            client.call(Device1.cancelPairing(one.device)) { _ in }
        case .setTimer(let instant):
            timer = client.clock.schedule(at: instant) { [weak self] in
                guard let self else { return }
                perform(machine.timerFired(now: client.clock.now))
            }
        }
    }

    private func forward(
        _ handlerID: PairingRequestStateMachine.HandlerID,
        _ requestID: PairingRequestStateMachine.RequestID
    ) {
        guard let one = pendingRequests[requestID], let handler = handlers[handlerID]?.handle else {
            return
        }
        let responder = makeResponder(requestID)
        pendingRequests[requestID]?.responder = responder
        if one.request.isDisplay { pendingRequests[requestID]?.display = (responder, handler) }
        log.debug(
            "pairing request forwarded",
            ["what": "\(one.request)", "device": one.device.name]
        )
        handler(one.request, one.device, responder)
    }

    private func updateDisplay(_ requestID: PairingRequestStateMachine.RequestID) {
        guard let one = pendingRequests[requestID], let shown = one.display else { return }
        shown.handler(one.request, one.device, shown.responder)
    }

    private func sendReply(
        _ requestID: PairingRequestStateMachine.RequestID,
        _ reply: PairingRequestStateMachine.Reply
    ) {
        guard let one = pendingRequests[requestID] else { return }
        let text =
            switch reply {
            case .accepted, .passkey, .pinCode: "answered"
            case .rejected: "rejected"
            case .handlerRemoved: "rejected: no handler responds"
            case .timedOut: "timed out"
            case .cancelled: "withdrawn"
            }
        log.debug(
            "pairing request ended",
            ["what": "\(one.request)", "device": one.device.name, "how": text]
        )
        Agent1.reply(Agent1.Reply(reply), to: one.call)
        switch reply {
        case .accepted, .passkey, .pinCode:
            // A display remains open.
            if !one.request.isDisplay { pendingRequests[requestID] = nil }
        case .rejected:
            rejected(one)
            pendingRequests[requestID] = nil
        // The user is notified through `notifyEnded`.
        case .timedOut, .handlerRemoved: rejected(one)
        case .cancelled: break
        }
    }

    private func rejected(_ one: PendingRequest) {
        rejections.requestRejected(one.device)
        if case .service = one.request { return }
        onRejection(one.device)
    }

    private func makeResponder(_ requestID: PairingRequestStateMachine.RequestID)
        -> PairingResponder
    {
        let context = client.context
        let weakAgent = WeakPairingAgent(agent: self)
        return PairingResponder(endCallback: EndCallback(context)) { decision in
            context.post { weakAgent.agent?.replied(requestID, decision) }
        }
    }

    private func replied(
        _ requestID: PairingRequestStateMachine.RequestID,
        _ decision: PairingDecision?
    ) {
        guard let one = pendingRequests[requestID] else { return }
        guard let decision else { return perform(machine.responderReleased(requestID)) }
        perform(machine.replied(requestID, .init(decision.fitted(to: one.request))))
    }

    // MARK: The end of requests

    private func receive(_ event: BlueZClient.Event) {
        guard case .changed(let changes) = event else { return }
        for change in changes {
            switch change {
            case .changed(let path, Device1.interface, let values, _):
                guard
                    Device1(values).connectedIfPresent == false
                        || Device1.pairedIfPresent(values) == true
                else { continue }
                cancelRequests(path)
            case .removed(let path, Device1.interface): cancelRequests(path)
            case .added, .removed, .changed: break
            }
        }
    }
}

private final class EndCallback: CallbackHolder {
    private let held = LockedValue(UncheckedTransfer<(() -> Void)?>(nil))
    private let context: MainContext

    init(_ context: MainContext) {
        self.context = context
    }

    var callback: (@isolated(any) () -> Void)? {
        get { held.value.value }
        set { held.value = UncheckedTransfer(newValue.map { context.callback($0) }) }
    }

    func call() {
        let callback = held.value.value
        held.value = UncheckedTransfer(nil)
        callback?()
    }
}

/// A user that answers pairing requests until it is released.
package final class PairingRegistration {
    /// The requests that the user answers, or `nil` for none.
    package var scope: AgentScope? {
        didSet { if scope != oldValue { agent.setScope(id, scope) } }
    }

    /// Whether the agent has the abilities of this user alone, for a pairing that it starts.
    package var isPairing = false {
        didSet { if isPairing != oldValue { agent.setPairing(id, isPairing) } }
    }

    private let agent: PairingAgent
    private let id: PairingRequestStateMachine.HandlerID

    fileprivate init(_ agent: PairingAgent, _ id: PairingRequestStateMachine.HandlerID) {
        self.agent = agent
        self.id = id
    }

    deinit {
        agent.removeHandler(id)
    }
}

/// A weak agent for closures that are called on any thread.
// Only accessed on the agent's context: the invariant behind `@unchecked`.
private struct WeakPairingAgent: @unchecked Swift.Sendable {
    weak var agent: PairingAgent?
}

extension Agent1.Reply {
    fileprivate init(_ reply: PairingRequestStateMachine.Reply) {
        switch reply {
        case .accepted: self = .accepted
        case .passkey(let number): self = .passkey(number)
        case .pinCode(let code): self = .pinCode(code)
        case .rejected, .handlerRemoved: self = .rejected
        case .timedOut, .cancelled: self = .cancelled
        }
    }
}

extension PairingRequestStateMachine.Reply {
    fileprivate init(_ decision: PairingDecision) {
        switch decision {
        case .accept: self = .accepted
        case .passkey(let number): self = .passkey(number)
        case .pinCode(let code): self = .pinCode(code)
        case .reject: self = .rejected
        }
    }
}
