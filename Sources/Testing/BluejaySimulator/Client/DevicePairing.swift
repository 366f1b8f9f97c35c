internal import BluejayDBus
internal import BluejayGLib

/// The pairing of a device: by a client's call, or by bluetoothd for a request that needs encryption.
final class DevicePairing {
    private let object: DeviceObject
    private let connection: DeviceConnection
    private let lifetime: DeviceLifetime
    private let onPaired: (_ isAuthenticated: Bool) -> Void
    private var attempt: PairingAttempt?
    /// The calls that bluetoothd leaves unanswered while the link lasts.
    private var unansweredCalls: [MethodInvocation] = []
    /// The requests that wait for the current attempt.
    private var encryptionCompletions: [(Bool) -> Void] = []
    /// The requests that wait for a pairing after one was refused, or had no agent.
    private var refusedRequests: [() -> Void] = []
    /// Ends the link of refused requests.
    private var refusalTimer: ScheduledTimer?

    /// Creates the pairing state of a device; `onPaired` is called when both ends have keys.
    init(
        _ object: DeviceObject,
        _ connection: DeviceConnection,
        _ lifetime: DeviceLifetime,
        onPaired: @escaping (_ isAuthenticated: Bool) -> Void
    ) {
        self.object = object
        self.connection = connection
        self.lifetime = lifetime
        self.onPaired = onPaired
    }

    private var world: SimulatedWorld { object.world }
    private var isPaired: Bool { object.isPaired }

    func pair(_ call: MethodInvocation) {
        if isPaired {
            if world.version.refusesSecondPairing || !connection.isConnected {
                return call.fail(BlueZError.alreadyExists)
            }
            // BlueZ 5.66 tries the other transport and replies when the link ends.
            return unansweredCalls.append(call)
        }
        guard attempt == nil else { return call.fail(BlueZError.inProgress) }
        guard !connection.isConnected else {
            return pairConnected(
                call,
                usesAbilitiesOfLink: world.version.pairsWithAbilitiesOfLink
            )
        }
        guard !connection.isConnecting else { return call.fail(BlueZError.inProgress) }
        connection.connect { [weak self] error in
            guard let self, error == nil else { return call.fail(BlueZError.pageTimeout) }
            pairConnected(call, usesAbilitiesOfLink: false)
        }
    }

    private func pairConnected(_ call: MethodInvocation, usesAbilitiesOfLink: Bool) {
        let agent = world.agents.agent(of: call.sender)
        guard agent != nil || world.userAgreesToPairing != nil else {
            return world.schedule(RecordedDelays.pairingWithoutAgent) {
                call.fail(BlueZError.authenticationFailed)
            }
        }
        let capability = usesAbilitiesOfLink ? connection.agentCapability : agent?.capability
        startPairing(agent, capability, isRequested: true) { [weak self] end in
            switch end {
            case .paired: call.reply()
            case .failed: call.fail(BlueZError.authenticationFailed)
            case .rejectedByPeer:
                call.fail(BlueZError.authenticationFailed)
                self?.connection.link?.close(reason: .authenticationFailed)
            case .cancelled: call.fail(BlueZError.authenticationCanceled)
            }
        }
    }

    func cancel(_ call: MethodInvocation) {
        guard let attempt, attempt.isRequested else { return call.fail(BlueZError.doesNotExist) }
        attempt.cancel()
        call.reply()
    }

    /// Pairs for a request, as bluetoothd does when a peer requires an encrypted link.
    ///
    /// `completion` is called once the device is paired. If the pairing is refused, or no agent exists, the
    /// kernel ends the link after its time limit, and bluetoothd removes the object with it.
    func encryptForRequest(completion: @escaping () -> Void) {
        let hasUser = world.agents.agent != nil || world.userAgreesToPairing != nil
        guard refusalTimer == nil, hasUser || attempt != nil || isPaired else {
            return refuse(completion)
        }
        encrypt { [weak self] isEncrypted in
            if isEncrypted { completion() } else { self?.refuse(completion) }
        }
    }

    private func refuse(_ request: @escaping () -> Void) {
        guard connection.isConnected else { return }
        refusedRequests.append(request)
        lifetime.setEndsWithLink(true)
        guard refusalTimer == nil else { return }
        refusalTimer = world.clock.schedule(after: RecordedDelays.refusedPairing) { [weak self] in
            guard let self else { return }
            connection.link?.close(from: object.host, reason: .authenticationFailed)
        }
    }

    /// Pairs without a call; an agent exists.
    func encrypt(completion: @escaping (Bool) -> Void) {
        guard !isPaired else { return completion(true) }
        guard attempt == nil else { return encryptionCompletions.append(completion) }
        let agent = world.agents.agent
        startPairing(agent, agent?.capability, isRequested: false) { [weak self] end in
            switch end {
            case .paired: completion(true)
            case .failed, .cancelled: completion(false)
            // bluetoothd drops the link together with the pairing.
            case .rejectedByPeer: self?.connection.link?.close(reason: .authenticationFailed)
            }
        }
    }

    private func startPairing(
        _ agent: AgentManager.Agent?,
        _ capability: String?,
        isRequested: Bool,
        _ completion: @escaping (PairingAttempt.Outcome) -> Void
    ) {
        let attempt = PairingAttempt(
            object,
            connection,
            agent: agent,
            capability: capability,
            isRequested: isRequested
        ) { [weak self] end in
            self?.ended(end)
            completion(end)
            self?.completeEncryptions()
        }
        self.attempt = attempt
        let peer = connection.client?.server
        let script = peer?.acceptsPairing == false ? .refused : peer?.pairing ?? .justWorks
        if let agrees = world.userAgreesToPairing {
            attempt.start(script, userAgrees: agrees)
        } else if let other = connection.link?.devices.last(where: {
            $0 !== object && $0.host === peer
        }) {
            attempt.start(authorizing: other.path)
        } else {
            attempt.start(script)
        }
    }

    private func ended(_ end: PairingAttempt.Outcome) {
        attempt = nil
        guard case .paired(let isAuthenticated) = end else { return }
        onPaired(isAuthenticated)
        forgetRefusals().forEach { $0() }
    }

    private func completeEncryptions() {
        let completions = encryptionCompletions
        encryptionCompletions = []
        for completion in completions { completion(isPaired) }
    }

    private func forgetRefusals() -> [() -> Void] {
        defer { refusedRequests = [] }
        if refusalTimer != nil { lifetime.setEndsWithLink(false) }
        refusalTimer = nil
        return refusedRequests
    }

    // MARK: Ends

    /// Fails the attempt and the stuck calls, because the link has ended.
    func linkEnded() {
        attempt?.cancel()
        (refusalTimer, refusedRequests) = (nil, [])
        for call in unansweredCalls { call.fail(BlueZError.pageTimeout) }
        unansweredCalls = []
    }

    /// Discards the attempt without a reply, like a killed daemon; returns whether one existed.
    func discard() -> Bool {
        let wasPairing = attempt != nil
        attempt?.forget()
        attempt = nil
        encryptionCompletions = []
        _ = forgetRefusals()
        return wasPairing
    }
}
