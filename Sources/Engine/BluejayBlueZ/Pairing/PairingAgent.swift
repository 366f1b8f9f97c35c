package import BluejayCore
package import BluejayDBus
internal import BluejayGLib

/// The pairing agent of one bus connection; each of its users answers for its own devices.
///
/// The agent is registered while it has users, but never as the default agent. bluetoothd asks it about
/// pairings that this bus connection starts, and about others only if no default agent exists.
package final class PairingAgent {
    /// Asks a user: the request, the device, the answer.
    package typealias Ask = (PairingRequest, ObjectPath, PairingAnswer) -> Void

    /// A stopped bluetoothd replies when it resumes, however long that takes.
    private static let longest = Duration.seconds(86_400)

    private struct Open {
        var request: PairingRequest
        let device: ObjectPath
        let call: MethodInvocation
        /// Held by the user, who refuses by releasing it.
        weak var answer: PairingAnswer?
        /// Set for a display, which remains open without an answer and may change.
        var shown: (answer: PairingAnswer, ask: Ask)?
    }

    /// Whether this process has a link to a device; users that answer for centrals are not asked about
    /// it.
    var isOwnLink: (ObjectPath) -> Bool = { _ in false }

    private let client: BlueZClient
    private let hub: ObjectExporter
    private let log: Log
    private var agent = AgentRegistrationStateMachine()
    private var machine = PairingRequestStateMachine()
    private let actions = ActionQueue<PairingRequestStateMachine.Action>()
    private var users: [PairingRequestStateMachine.User: Ask] = [:]
    private var lastUser = 0
    private var open: [PairingRequestStateMachine.RequestID: Open] = [:]
    private var lastQuestion = 0
    private var timer: ScheduledTimer?
    /// The agent's path; `nil` while it is not exported.
    private var exported: (path: ObjectPath, objects: ObjectServer)?
    private var agentTimer: ScheduledTimer?
    private var waiting: [() -> Void] = []
    /// Devices for which a user refused a request.
    private var refused: Set<ObjectPath> = []
    private var states: ObservationToken?
    private var changes: ObservationToken?

    /// The agent shared by all users on the client's context.
    package static func shared(by client: BlueZClient) -> PairingAgent {
        client.context.attachment("PairingDesk " + client.address.text) { PairingAgent(client) }
    }

    init(_ client: BlueZClient) {
        self.client = client
        hub = ObjectExporter.shared(by: client)
        log = Log("bluejay.pairing", to: client.logHub)
        states = client.observe(.adapters) { [weak self] event in
            if case .stateChanged(let state) = event { self?.followed(state) }
        }
        perform(agent.available(client.state == .running, now: client.clock.now))
    }

    // MARK: Users

    /// Adds a user, after the existing ones.
    package func join(_ ask: @escaping Ask) -> PairingRegistration {
        lastUser += 1
        users[lastUser] = ask
        machine.joined(lastUser)
        perform(agent.wanted(true, now: client.clock.now))
        return PairingRegistration(self, lastUser)
    }

    fileprivate func claims(_ user: PairingRequestStateMachine.User, _ claim: AgentScope?) {
        machine.claims(user, claim)
    }

    fileprivate func left(_ user: PairingRequestStateMachine.User) {
        users[user] = nil
        perform(machine.left(user))
        perform(agent.wanted(!users.isEmpty, now: client.clock.now))
    }

    /// Replaces the address of a device after pairing.
    func moved(from old: PairingDevice, to new: PairingDevice) {
        machine.moved(from: old, to: new)
    }

    /// Calls `ready` when bluetoothd has accepted or refused the agent, immediately if that is known.
    func whenSettled(_ ready: @escaping () -> Void) {
        guard agent.isUnsettled else { return ready() }
        waiting.append(ready)
    }

    /// Forgets earlier refusals, because a pairing starts.
    func begins(_ device: ObjectPath) {
        refused.remove(device)
    }

    /// Whether a user refused a request of the pairing that has ended.
    func wasRefused(_ device: ObjectPath) -> Bool { refused.remove(device) != nil }

    /// Ends all requests and displays of a device.
    func over(_ device: ObjectPath) {
        let questions = open.filter { $0.value.device == device }.keys
        if !questions.isEmpty { perform(machine.over(Set(questions))) }
    }

    // MARK: The agent

    private func followed(_ state: BlueZClient.State) {
        if state != .running { perform(machine.overForAll()) }
        perform(agent.available(state == .running, now: client.clock.now))
    }

    private func perform(_ actions: [AgentRegistrationStateMachine.Action]) {
        for action in actions {
            switch action {
            case .register(let call): register(call)
            case .unregister:
                if let (path, objects) = exported { unregister(path, objects.connection) }
                unexport()
            case .forget: unexport()
            case .settled:
                let ready = waiting
                waiting = []
                for one in ready { one() }
            case .setTimer(let instant):
                agentTimer = client.clock.schedule(at: instant) { [weak self] in
                    self?.agentIsDue()
                }
            }
        }
    }

    private func agentIsDue() {
        let wasLate = agent.isLate
        perform(agent.timerFired(now: client.clock.now))
        if agent.isLate, !wasLate { log.warning("bluetoothd does not answer RegisterAgent") }
    }

    // bluetoothd stops asking, whatever its reply.
    private func unregister(_ path: ObjectPath, _ connection: BusConnection) {
        connection.call(AgentManager1.unregisterAgent(path), timeout: Self.longest) { _ in }
    }

    private func register(_ call: Int) {
        guard let objects = hub.objects else {
            return perform(agent.registered(call, succeeded: false, now: client.clock.now))
        }
        let path = hub.freshPath("agent")
        exported = (path, objects)
        let handlers = Agent1.Handlers(
            asked: { [weak self] in self?.asked($0, $1, $2) },
            cancelled: { [weak self] in
                guard let self else { return }
                perform(machine.overForAll())
            },
            released: { [weak self] in
                guard let self else { return }
                perform(machine.overForAll())
                perform(agent.released())
            }
        )
        let client = client
        let interface = Agent1.busInterface(isDaemon: { client.owner == $0 }, handlers)
        objects.export([interface], at: path)
        objects.connection.call(
            AgentManager1.registerAgent(path, capability: Agent1.capability),
            timeout: Self.longest
        ) { [weak self, weak connection = objects.connection] result in
            guard let self else { return }
            if case .failure(let error) = result {
                log.warning("agent registration failed", ["error": error.description])
            } else if exported?.path != path, let connection {
                // The engine dropped the registration meanwhile, but bluetoothd accepted it.
                return unregister(path, connection)
            }
            let succeeded = (try? result.get()) != nil
            perform(agent.registered(call, succeeded: succeeded, now: client.clock.now))
        }
    }

    private func unexport() {
        guard let (path, objects) = exported else { return }
        exported = nil
        objects.unexport(path)
    }

    // MARK: Questions

    private func asked(_ request: PairingRequest, _ path: ObjectPath, _ call: MethodInvocation) {
        lastQuestion += 1
        let question = lastQuestion
        open[question] = Open(request: request, device: path, call: call)
        perform(
            machine.asked(
                question,
                by: client.objects.pairingDevice(path),
                isOwnLink: isOwnLink(path),
                isDisplay: request.isDisplay,
                now: client.clock.now
            )
        )
    }

    private func perform(_ new: [PairingRequestStateMachine.Action]) {
        actions.perform(new) { self.perform($0) }
        // Device changes end open requests, and are observed only while requests are open.
        guard machine.isIdle != (changes == nil) else { return }
        changes = machine.isIdle ? nil : client.observe { [weak self] in self?.receive($0) }
    }

    private func perform(_ action: PairingRequestStateMachine.Action) {
        switch action {
        case .ask(let user, let question): ask(user, question)
        case .update(let shown, let question):
            guard let new = open.removeValue(forKey: question) else { return }
            open[shown]?.request = new.request
            tell(shown)
        case .reply(let question, let reply): answer(question, reply)
        case .ended(let question):
            let ended = open.removeValue(forKey: question)
            (ended?.shown?.answer ?? ended?.answer)?.end()
        case .cancelPairing(let question):
            guard let device = open[question]?.device else { return }
            refused.insert(device)
            client.call(Device1.cancelPairing(device)) { _ in }
        case .setTimer(let instant):
            timer = client.clock.schedule(at: instant) { [weak self] in
                guard let self else { return }
                perform(machine.timerFired(now: client.clock.now))
            }
        }
    }

    private func ask(
        _ user: PairingRequestStateMachine.User,
        _ question: PairingRequestStateMachine.RequestID
    ) {
        guard let one = open[question], let ask = users[user] else { return }
        let answer = makeAnswer(question)
        open[question]?.answer = answer
        if one.request.isDisplay { open[question]?.shown = (answer, ask) }
        log.debug(
            "pairing request forwarded",
            ["what": "\(one.request)", "device": one.device.name]
        )
        ask(one.request, one.device, answer)
    }

    private func tell(_ question: PairingRequestStateMachine.RequestID) {
        guard let one = open[question], let shown = one.shown else { return }
        shown.ask(one.request, one.device, shown.answer)
    }

    private func answer(
        _ question: PairingRequestStateMachine.RequestID,
        _ reply: PairingRequestStateMachine.Reply
    ) {
        guard let one = open[question] else { return }
        let text =
            switch reply {
            case .accepted, .passkey, .pinCode: "answered"
            case .refused: "rejected"
            case .abandoned: "rejected: no handler responds"
            case .gaveUp: "timed out"
            case .withdrawn: "withdrawn"
            }
        log.debug(
            "pairing request ended",
            ["what": "\(one.request)", "device": one.device.name, "how": text]
        )
        Agent1.reply(reply, to: one.call)
        switch reply {
        case .accepted, .passkey, .pinCode:
            // A display remains open.
            if !one.request.isDisplay { open[question] = nil }
        case .refused:
            refused.insert(one.device)
            open[question] = nil
        // The user is notified through `ended`.
        case .gaveUp, .abandoned: refused.insert(one.device)
        case .withdrawn: break
        }
    }

    private func makeAnswer(_ question: PairingRequestStateMachine.RequestID) -> PairingAnswer {
        let context = client.context
        let desk = WeakPairingAgent(desk: self)
        return PairingAnswer(whenEnded: EndCallback()) { decision in
            context.post { desk.desk?.answered(question, decision) }
        }
    }

    private func answered(
        _ question: PairingRequestStateMachine.RequestID,
        _ decision: PairingDecision?
    ) {
        guard let one = open[question] else { return }
        guard let decision else { return perform(machine.letGo(question)) }
        perform(machine.answered(question, .init(decision.fitted(to: one.request))))
    }

    // MARK: The end of requests

    private func receive(_ event: BlueZClient.Event) {
        guard case .changed(let changes) = event else { return }
        for change in changes {
            switch change {
            case .changed(let path, Device1.interface, let values, _):
                guard
                    Device1(values).connectedIfTold == false
                        || Device1.pairedIfTold(values) == true
                else { continue }
                over(path)
            case .removed(let path, Device1.interface): over(path)
            case .added, .removed, .changed: break
            }
        }
    }
}

private final class EndCallback: CallbackHolder {
    private let held = Snapshot(Confined<(() -> Void)?>(nil))

    var callback: (() -> Void)? {
        get { held.value.value }
        set { held.value = Confined(newValue) }
    }
}

/// A user that answers pairing requests until it is released.
package final class PairingRegistration {
    /// The requests that the user answers, or `nil` for none.
    package var claim: AgentScope? {
        didSet { if claim != oldValue { desk.claims(user, claim) } }
    }

    private let desk: PairingAgent
    private let user: PairingRequestStateMachine.User

    fileprivate init(_ desk: PairingAgent, _ user: PairingRequestStateMachine.User) {
        self.desk = desk
        self.user = user
    }

    deinit {
        desk.left(user)
    }
}

/// A weak agent for closures that are called on any thread.
// Only accessed on the agent's context: the invariant behind `@unchecked`.
private struct WeakPairingAgent: @unchecked Swift.Sendable {
    weak var desk: PairingAgent?
}

extension PairingRequestStateMachine.Reply {
    fileprivate init(_ decision: PairingDecision) {
        switch decision {
        case .accept: self = .accepted
        case .passkey(let number): self = .passkey(number)
        case .pinCode(let code): self = .pinCode(code)
        case .refuse: self = .refused
        }
    }
}
