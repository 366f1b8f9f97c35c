internal import BluejayDBus
internal import BluejayGLib

/// Performs the actions of the `PairCallStateMachine` of one link.
final class LinkPairing {
    typealias Completion = (PairingFailure?) -> Void

    private let executor: LinkExecutor
    private let device: LinkDevice
    private let client: BlueZClient
    private let agent: PairingAgent
    private let log: Log
    private var machine = PairCallStateMachine()
    private let actions = ActionQueue<PairCallStateMachine.Action>()
    private var completions: [PairCallStateMachine.Caller: Completion] = [:]
    private var lastCaller = 0
    private var call: BusCall?
    private var timer: ScheduledTimer?
    private var cancelCompletions: [() -> Void] = []
    /// The outcome of a pairing, held until it is known whether the adapter caused it.
    private var heldOutcome: ((inout PairCallStateMachine) -> [PairCallStateMachine.Action])?
    private var outcomeTimer: ScheduledTimer?
    /// Work that waits for the outcome of the pairing after the link has ended.
    private var deferred: [() -> Void] = []
    /// Whether the current event is a reply from bluetoothd, which already arrives on a later iteration.
    private var isReply = false

    /// `LinkPairing` applies its own limit to `Pair`; this one is for the bus.
    private static let callTimeout = Duration.seconds(3600)
    private static let cancelTimeout = Duration.seconds(10)
    /// The maximum delay of the adapter's state after the end of a link.
    private static let adapterStateDelay = Duration.milliseconds(300)

    init(_ context: LinkContext, _ agent: PairingAgent) {
        self.agent = agent
        executor = context.executor
        device = context.device
        client = context.client
        log = context.log
    }

    private var clock: any EventClock { client.clock }

    private var isPaired: Bool { device.properties?.isPaired == true }

    /// Pairs for a user; `completion` is called once, on a later iteration.
    func pair(
        _ leaseID: LinkStateMachine.LeaseID,
        timeout: Duration,
        _ completion: @escaping Completion
    ) -> PairCallStateMachine.Caller {
        lastCaller += 1
        let caller = lastCaller
        let clock = clock
        completions[caller] = completion
        guard executor.isActive(leaseID) else {
            complete(caller, .bluez(.linkLost))
            return caller
        }
        perform(
            machine.start(caller, of: leaseID, deadline: clock.now + timeout, isPaired: isPaired)
        )
        return caller
    }

    /// Stops waiting for a pairing.
    func cancelCall(_ caller: PairCallStateMachine.Caller) {
        perform(machine.cancelCall(caller, .cancelled))
    }

    /// Cancels a user's calls, and refuses requests from bluetoothd.
    ///
    /// `completion` is called once, on a later iteration, when nothing is pending.
    func cancel(_ leaseID: LinkStateMachine.LeaseID, _ completion: @escaping () -> Void) {
        let clock = clock
        perform(machine.cancelCalls(leaseID, .cancelled))
        if machine.isIdle, let path = device.path { agent.cancelRequests(path) }
        guard machine.isCancelling else { return clock.onNextIteration(completion) }
        cancelCompletions.append { clock.onNextIteration(completion) }
    }

    func leaseReleased(_ leaseID: LinkStateMachine.LeaseID) {
        perform(machine.cancelCalls(leaseID, .bluez(.linkLost)))
    }

    /// The link ended, or the device or bluetoothd disappeared.
    func ended(_ failure: BlueZFailure) {
        (heldOutcome, outcomeTimer, deferred) = (nil, nil, [])
        perform(machine.ended(failure))
    }

    /// bluetoothd reported the device as paired.
    func paired() {
        perform(machine.paired())
    }

    private func perform(_ new: [PairCallStateMachine.Action]) {
        actions.perform(new) { self.perform($0) }
    }

    private func perform(_ action: PairCallStateMachine.Action) {
        switch action {
        case .prepare(let call):
            agent.afterRegistration { [weak self] in
                guard let self else { return }
                perform(machine.prepared(call, isPaired: isPaired))
            }
        case .pair(let number): pair(number)
        case .cancelPairing(let number):
            forgetCall()
            guard let path = device.path else { return perform(machine.cancelReplied(number)) }
            log.debug("CancelPairing called", ["path": path.text])
            client.call(Device1.cancelPairing(path), timeout: Self.cancelTimeout) {
                [weak self] _ in
                guard let self else { return }
                perform(machine.cancelReplied(number))
            }
        case .disconnect:
            guard call != nil, let path = device.path else { return }
            log.debug("Disconnect called, because Pair has no reply", ["path": path.text])
            client.call(Device1.disconnect(path), timeout: Self.cancelTimeout) { _ in }
        case .complete(let caller, let failure): complete(caller, failure)
        case .cancelled:
            let waiters = cancelCompletions
            cancelCompletions = []
            for waiter in waiters { waiter() }
        case .setTimer(let instant):
            timer = clock.schedule(at: instant) { [weak self] in
                guard let self else { return }
                perform(machine.timerFired(now: clock.now))
            }
        }
    }

    private func pair(_ number: Int) {
        guard let path = device.path else {
            return perform(machine.replied(number, .bluez(.linkLost)))
        }
        agent.pairingStarted(path)
        log.debug("Pair called", ["path": path.text])
        call = client.call(Device1.pair(path), timeout: Self.callTimeout) {
            [weak self, agent] result in
            let isRejected = agent.pairingEnded(path)
            guard let self else { return }
            call = nil
            var failure: PairingFailure?
            if case .failure(let error) = result { failure = PairingFailure(error) }
            agent.cancelRequests(path)
            if failure != nil, isRejected { failure = .rejected }
            if case .bluez(.pairing)? = failure {
                holdOutcome { $0.replied(number, failure) }
            } else {
                applyOutcome(failure) { $0.replied(number, failure) }
            }
        }
    }

    // Report this failure before the less specific end of the link. If the bus ends, its pending calls
    // fail inside the caller that releases it.
    private func applyOutcome(
        _ failure: PairingFailure?,
        _ event: (inout PairCallStateMachine) -> [PairCallStateMachine.Action]
    ) {
        isReply = failure != .bluez(.daemonLost)
        perform(event(&machine))
        isReply = false
    }

    // MARK: Adapter removal

    // bluetoothd reports the end of the pairing and of the link before the change of the adapter.
    private func holdOutcome(
        _ event: @escaping (inout PairCallStateMachine) -> [PairCallStateMachine.Action]
    ) {
        guard heldOutcome == nil else { return }
        heldOutcome = event
        client.refresh(adapter: device.adapter) { [weak self] in self?.adapterIsKnown() }
    }

    private func adapterIsKnown() {
        guard heldOutcome != nil else { return }
        let objects = client.objects
        guard objects.adapterState(device.adapter) == .on else {
            let deferred = deferred
            ended(.adapterOff)
            for work in deferred { work() }
            return
        }
        let isConnected = device.path.map { objects.isConnected($0) } ?? false
        guard !isConnected else { return applyHeldOutcome() }
        outcomeTimer = clock.schedule(after: Self.adapterStateDelay) { [weak self] in
            self?.applyHeldOutcome()
        }
    }

    private func applyHeldOutcome() {
        outcomeTimer = nil
        guard let event = heldOutcome else { return }
        heldOutcome = nil
        applyOutcome(.cancelled, event)
        let deferred = deferred
        self.deferred = []
        for work in deferred { work() }
    }

    /// The link is ending; `work` waits until it is known whether the adapter caused this.
    func linkEnds(_ work: @escaping () -> Void) {
        if call != nil { holdOutcome { $0.ended(.linkLost) } }
        guard heldOutcome != nil else { return work() }
        deferred.append(work)
    }

    private func forgetCall() {
        if let call { client.cancel(call) }
        call = nil
    }

    private func complete(_ caller: PairCallStateMachine.Caller, _ failure: PairingFailure?) {
        if machine.isIdle { forgetCall() }
        guard let completion = completions.removeValue(forKey: caller) else { return }
        if isReply { completion(failure) } else { clock.onNextIteration { completion(failure) } }
    }
}

extension LinkLease {
    /// Pairs with the device; succeeds if it is already paired.
    ///
    /// - Parameters:
    ///   - timeout: The time until the pairing is cancelled and fails with `timedOut`; bluetoothd may never
    ///     reply.
    ///   - completion: Called once, on a later iteration; `nil` is success.
    /// - Returns: The identifier for `cancelPairCall`.
    package func pair(
        timeout: Duration,
        completion: @escaping (PairingFailure?) -> Void
    ) -> PairCallID {
        PairCallID(number: link.pairing.pair(id, timeout: timeout, completion))
    }

    /// Fails a pairing with `cancelled`, and cancels it at bluetoothd if no other caller waits for it.
    package func cancelPairCall(_ request: PairCallID) {
        link.pairing.cancelCall(request.number)
    }

    /// Fails this lease's pairings with `cancelled`, and refuses bluetoothd's requests for the device.
    ///
    /// `completion` is called once, on a later iteration, when bluetoothd has ended them.
    package func cancelPairing(_ completion: @escaping () -> Void) {
        link.pairing.cancel(id, completion)
    }
}

/// The identifier of one lease's pairing call; never reused.
package struct PairCallID {
    let number: PairCallStateMachine.Caller
}
