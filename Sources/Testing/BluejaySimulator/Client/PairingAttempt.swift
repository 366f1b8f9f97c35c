internal import BluejayDBus
internal import BluejayGLib

/// One pairing attempt: the requests to the agent, the peer's behaviour, and the end.
///
/// It ends exactly once and calls its completion once.
final class PairingAttempt {
    enum Outcome: Equatable {
        case paired(isAuthenticated: Bool)
        /// This side refused.
        case failed
        /// The peer refused or rejected the number: the link ends with the pairing.
        case rejectedByPeer
        /// The attempt was cancelled: no answer for 30 s, `CancelPairing`, or the end of the link.
        case cancelled
    }

    /// Whether a client has called `Pair`; otherwise bluetoothd started the attempt.
    let isRequested: Bool
    private let object: DeviceObject
    private let connection: DeviceConnection
    private let agent: AgentManager.Agent?
    private let capability: String?
    private let completion: (Outcome) -> Void
    /// The pending request; `requestedAgent` is its agent.
    private var pendingCall: CallID?
    private var requestedAgent: AgentManager.Agent?
    private var timeoutTimer: ScheduledTimer?
    private var step: ScheduledTimer?
    private var isEnded = false

    /// Creates an attempt with the abilities of an agent, or others.
    init(
        _ object: DeviceObject,
        _ connection: DeviceConnection,
        agent: AgentManager.Agent?,
        capability: String?,
        isRequested: Bool,
        completion: @escaping (Outcome) -> Void
    ) {
        self.object = object
        self.connection = connection
        self.agent = agent
        self.capability = capability
        self.isRequested = isRequested
        self.completion = completion
    }

    private var world: SimulatedWorld { object.world }

    /// Starts with a desktop user, who completes the pairing or refuses it.
    func start(_ script: SimulatedPairing, userAgrees: Bool) {
        startTimeout()
        switch script {
        case .silent, .displayed(isTypedRight: nil): return
        case .refused: after(RecordedDelays.pairingWithoutAgent) { $0.end(.rejectedByPeer) }
        case .confirmation(_, isAgreed: false), .displayed(isTypedRight: false):
            after(RecordedDelays.pairing) { $0.end(.rejectedByPeer) }
        case .justWorks, .passkey, .displayed, .confirmation, .pinCode, .displayedPinCode:
            let end = userAgrees ? Outcome.paired(isAuthenticated: script.isAuthenticated) : .failed
            after(RecordedDelays.pairing) { $0.end(end) }
        }
    }

    /// Starts with the agent; the script defines the peer's behaviour.
    func start(_ script: SimulatedPairing) {
        startTimeout()
        switch script.possible(for: capability ?? "NoInputNoOutput") {
        case .justWorks:
            guard !isRequested else {
                return after(RecordedDelays.pairing) { $0.end(.paired(isAuthenticated: false)) }
            }
            request("RequestAuthorization", []) {
                $0.end($1 == nil ? .failed : .paired(isAuthenticated: false))
            }
        case .passkey(let passkey):
            request("RequestPasskey", []) { $0.entered($1, $1?.first == .uint32(passkey)) }
        case .pinCode(let code):
            request("RequestPinCode", []) { $0.entered($1, $1?.first == .string(code)) }
        case .confirmation(let passkey, let isAgreed):
            request("RequestConfirmation", [.uint32(passkey)]) { $0.entered($1, isAgreed) }
        case .displayed(let isRight): show(entered: 0, isRight: isRight)
        case .displayedPinCode(let code):
            request("DisplayPinCode", [.string(code)]) { attempt, reply in
                guard reply != nil else { return attempt.end(.failed) }
                attempt.after(RecordedDelays.pairing) { $0.end(.paired(isAuthenticated: true)) }
            }
        case .refused:
            guard !isRequested else {
                return after(RecordedDelays.pairingWithoutAgent) { $0.end(.rejectedByPeer) }
            }
            request("RequestAuthorization", []) { $0.end($1 == nil ? .failed : .rejectedByPeer) }
        case .silent: break
        }
    }

    /// Asks the user of the other end, which is another adapter of this bluetoothd.
    ///
    /// No client started the pairing there, so bluetoothd asks the default agent. Where both ends only enter
    /// numbers, each is asked for the passkey.
    func start(authorizing other: ObjectPath) {
        start(.silent)
        let responder = world.agents.agent
        guard [agent, responder].allSatisfy({ $0?.capability == "KeyboardOnly" }) else {
            return request("RequestAuthorization", [], of: responder, about: other) {
                $0.end($1 == nil ? .failed : .paired(isAuthenticated: false))
            }
        }
        request("RequestPasskey", []) { attempt, own in
            guard let own else { return attempt.end(.failed) }
            attempt.request("RequestPasskey", [], of: responder, about: other) { attempt, theirs in
                attempt.entered(theirs, theirs == own)
            }
        }
    }

    /// Cancels the attempt; the agent receives `Cancel` for a pending request.
    func cancel() {
        guard !isEnded else { return }
        cancelPendingCall()
        end(.cancelled)
    }

    private func cancelPendingCall() {
        guard let pendingCall else { return }
        world.bus.connection?.cancel(pendingCall)
        self.pendingCall = nil
        callAgent("Cancel", [], to: requestedAgent)
    }

    /// Discards the attempt silently, like a killed daemon.
    func forget() {
        isEnded = true
        if let pendingCall { world.bus.connection?.cancel(pendingCall) }
        timeoutTimer = nil
        step = nil
    }

    // MARK: Steps

    private func startTimeout() {
        timeoutTimer = world.clock.schedule(after: RecordedDelays.pairingTimeout) { [weak self] in
            guard let self, !isEnded else { return }
            // The kernel drops the link together with the pairing; the end of the link answers the calls.
            cancelPendingCall()
            connection.link?.close(reason: .authenticationFailed)
        }
    }

    private func entered(_ reply: [BusValue]?, _ isRight: Bool) {
        guard reply != nil else { return end(.failed) }
        guard isRight else { return end(.rejectedByPeer) }
        after(RecordedDelays.pairing) { $0.end(.paired(isAuthenticated: true)) }
    }

    // An arbitrary number, because no real peer compares it.
    private static let displayedPasskey: UInt32 = 42_017

    private func show(entered: UInt16, isRight: Bool?) {
        // bluetoothd does not wait for a reply to this call.
        callAgent(
            "DisplayPasskey",
            [.objectPath(object.path), .uint32(Self.displayedPasskey), .uint16(entered)],
            to: agent
        )
        guard let isRight else { return }
        after(RecordedDelays.keypress) { attempt in
            guard entered == 6 else { return attempt.show(entered: entered + 1, isRight: isRight) }
            attempt.end(isRight ? .paired(isAuthenticated: true) : .rejectedByPeer)
        }
    }

    private func request(
        _ member: String,
        _ arguments: [BusValue],
        of otherAgent: AgentManager.Agent? = nil,
        about other: ObjectPath? = nil,
        completion: @escaping (PairingAttempt, [BusValue]?) -> Void
    ) {
        guard let agent = otherAgent ?? agent, let connection = world.bus.connection else {
            return end(.failed)
        }
        requestedAgent = agent
        let call = MethodCall(
            to: agent.client,
            at: agent.path,
            BlueZNames.agent,
            member,
            [.objectPath(other ?? object.path)] + arguments
        )
        pendingCall = connection.call(call, timeout: .seconds(60)) { [weak self] result in
            guard let self, !isEnded else { return }
            pendingCall = nil
            completion(self, try? result.get())
        }
    }

    private func callAgent(
        _ member: String,
        _ arguments: [BusValue],
        to agent: AgentManager.Agent?
    ) {
        guard let agent else { return }
        let call = MethodCall(to: agent.client, at: agent.path, BlueZNames.agent, member, arguments)
        world.bus.connection?.call(call, timeout: .seconds(60)) { _ in }
    }

    private func after(_ delay: Duration, _ next: @escaping (PairingAttempt) -> Void) {
        step = world.clock.schedule(after: delay) { [weak self] in
            guard let self, !isEnded else { return }
            next(self)
        }
    }

    private func end(_ end: Outcome) {
        guard !isEnded else { return }
        isEnded = true
        timeoutTimer = nil
        step = nil
        completion(end)
    }
}
