internal import BluejayDBus
internal import BluejayGLib

/// One pairing attempt: the agent's questions, the peer's behaviour, and the end.
///
/// It ends exactly once and calls its completion once.
final class PairingAttempt {
    enum End: Equatable {
        case paired(isAuthenticated: Bool)
        /// This side refused.
        case failed
        /// The peer refused or rejected the number: the link ends with the pairing.
        case refusedThere
        /// The attempt was cancelled: no answer for 30 s, `CancelPairing`, or the end of the link.
        case cancelled
    }

    /// Whether a client has called `Pair`; otherwise bluetoothd started the attempt.
    let isAsked: Bool
    private let object: DeviceObject
    private let connection: DeviceConnection
    private let agent: AgentManager.Agent?
    private let completion: (End) -> Void
    /// The pending question; `asked` is its agent.
    private var question: CallID?
    private var asked: AgentManager.Agent?
    private var limit: ScheduledTimer?
    private var step: ScheduledTimer?
    private var isOver = false

    init(
        _ object: DeviceObject,
        _ connection: DeviceConnection,
        agent: AgentManager.Agent?,
        isAsked: Bool,
        completion: @escaping (End) -> Void
    ) {
        self.object = object
        self.connection = connection
        self.agent = agent
        self.isAsked = isAsked
        self.completion = completion
    }

    private var world: SimulatedBlueZ { object.world }

    /// Starts with a desktop user, who completes the pairing or refuses it.
    func begin(_ script: SimulatedPairing, userAgrees: Bool) {
        startLimit()
        switch script {
        case .silent, .displayed(isTypedRight: nil): return
        case .refused: after(RecordedDelays.pairingWithoutAgent) { $0.end(.refusedThere) }
        case .confirmation(_, isAgreed: false), .displayed(isTypedRight: false):
            after(RecordedDelays.pairing) { $0.end(.refusedThere) }
        case .justWorks, .passkey, .displayed, .confirmation, .pinCode, .displayedPinCode:
            let end = userAgrees ? End.paired(isAuthenticated: script.isAuthenticated) : .failed
            after(RecordedDelays.pairing) { $0.end(end) }
        }
    }

    /// Starts with the agent; the script defines the peer's behaviour.
    func begin(_ script: SimulatedPairing) {
        startLimit()
        switch script.possible(for: agent?.capability ?? "NoInputNoOutput") {
        case .justWorks:
            guard !isAsked else {
                return after(RecordedDelays.pairing) { $0.end(.paired(isAuthenticated: false)) }
            }
            ask("RequestAuthorization", []) {
                $0.end($1 == nil ? .failed : .paired(isAuthenticated: false))
            }
        case .passkey(let passkey):
            ask("RequestPasskey", []) { $0.typed($1, $1?.first == .uint32(passkey)) }
        case .pinCode(let code):
            ask("RequestPinCode", []) { $0.typed($1, $1?.first == .string(code)) }
        case .confirmation(let passkey, let isAgreed):
            ask("RequestConfirmation", [.uint32(passkey)]) { $0.typed($1, isAgreed) }
        case .displayed(let isRight): show(entered: 0, isRight: isRight)
        case .displayedPinCode(let code):
            ask("DisplayPinCode", [.string(code)]) { attempt, answer in
                guard answer != nil else { return attempt.end(.failed) }
                attempt.after(RecordedDelays.pairing) { $0.end(.paired(isAuthenticated: true)) }
            }
        case .refused:
            guard !isAsked else {
                return after(RecordedDelays.pairingWithoutAgent) { $0.end(.refusedThere) }
            }
            ask("RequestAuthorization", []) { $0.end($1 == nil ? .failed : .refusedThere) }
        case .silent: break
        }
    }

    /// Asks the user of the other end, which is another adapter of this bluetoothd.
    ///
    /// No client started the pairing there, so bluetoothd asks the default agent.
    func begin(asking other: ObjectPath) {
        begin(.silent)
        ask("RequestAuthorization", [], of: world.agents.agent, about: other) {
            $0.end($1 == nil ? .failed : .paired(isAuthenticated: false))
        }
    }

    /// Cancels the attempt; the agent receives `Cancel` for a pending question.
    func giveUp() {
        guard !isOver else { return }
        withdrawQuestion()
        end(.cancelled)
    }

    private func withdrawQuestion() {
        guard let question else { return }
        world.bus.connection?.cancel(question)
        self.question = nil
        tell("Cancel", [], to: asked)
    }

    /// Discards the attempt silently, like a killed daemon.
    func forget() {
        isOver = true
        if let question { world.bus.connection?.cancel(question) }
        limit = nil
        step = nil
    }

    // MARK: Steps

    private func startLimit() {
        limit = world.clock.schedule(after: RecordedDelays.pairingLimit) { [weak self] in
            guard let self, !isOver else { return }
            // The kernel drops the link together with the pairing; the end of the link answers the calls.
            withdrawQuestion()
            connection.link?.close(reason: .authenticationFailed)
        }
    }

    private func typed(_ answer: [BusValue]?, _ isRight: Bool) {
        guard answer != nil else { return end(.failed) }
        guard isRight else { return end(.refusedThere) }
        after(RecordedDelays.pairing) { $0.end(.paired(isAuthenticated: true)) }
    }

    // An arbitrary number, because no real peer compares it.
    private static let shown: UInt32 = 42_017

    private func show(entered: UInt16, isRight: Bool?) {
        // bluetoothd does not wait for a reply to this call.
        tell(
            "DisplayPasskey",
            [.objectPath(object.path), .uint32(Self.shown), .uint16(entered)],
            to: agent
        )
        guard let isRight else { return }
        after(RecordedDelays.keypress) { attempt in
            guard entered == 6 else { return attempt.show(entered: entered + 1, isRight: isRight) }
            attempt.end(isRight ? .paired(isAuthenticated: true) : .refusedThere)
        }
    }

    private func ask(
        _ member: String,
        _ arguments: [BusValue],
        of otherAgent: AgentManager.Agent? = nil,
        about other: ObjectPath? = nil,
        answered: @escaping (PairingAttempt, [BusValue]?) -> Void
    ) {
        guard let agent = otherAgent ?? agent, let connection = world.bus.connection else {
            return end(.failed)
        }
        asked = agent
        let call = MethodCall(
            agent.client,
            agent.path,
            Names.agent,
            member,
            [.objectPath(other ?? object.path)] + arguments
        )
        question = connection.call(call, timeout: .seconds(60)) { [weak self] result in
            guard let self, !isOver else { return }
            question = nil
            answered(self, try? result.get())
        }
    }

    private func tell(
        _ member: String,
        _ arguments: [BusValue],
        to agent: AgentManager.Agent?
    ) {
        guard let agent else { return }
        let call = MethodCall(agent.client, agent.path, Names.agent, member, arguments)
        world.bus.connection?.call(call, timeout: .seconds(60)) { _ in }
    }

    private func after(_ delay: Duration, _ next: @escaping (PairingAttempt) -> Void) {
        step = world.clock.schedule(after: delay) { [weak self] in
            guard let self, !isOver else { return }
            next(self)
        }
    }

    private func end(_ end: End) {
        guard !isOver else { return }
        isOver = true
        limit = nil
        step = nil
        completion(end)
    }
}
