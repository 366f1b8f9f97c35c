internal import BluejayDBus
internal import BluejayGLib

/// Performs the actions of the `PairCallStateMachine` of one link.
final class LinkPairing {
    typealias Completion = (PairingFailure?) -> Void

    private let executor: LinkExecutor
    private let device: LinkDevice
    private let client: BlueZClient
    private let desk: PairingAgent
    private let log: Log
    private var machine = PairCallStateMachine()
    private let actions = ActionQueue<PairCallStateMachine.Action>()
    private var completions: [PairCallStateMachine.Caller: Completion] = [:]
    private var lastCaller = 0
    private var call: BusCall?
    private var timer: ScheduledTimer?
    private var whenQuiet: [() -> Void] = []
    /// The outcome of a pairing, held until it is known whether the adapter caused it.
    private var judged: ((inout PairCallStateMachine) -> [PairCallStateMachine.Action])?
    private var judging: ScheduledTimer?
    /// Work that waits for the outcome of the pairing after the link has ended.
    private var deferred: [() -> Void] = []
    /// Whether the current event is a reply from bluetoothd, which already arrives in a later turn.
    private var isAnswer = false

    /// `LinkPairing` applies its own limit to `Pair`; this one is for the bus.
    private static let callLimit = Duration.seconds(3600)
    private static let cancelLimit = Duration.seconds(10)
    /// The maximum delay of the adapter's state after the end of a link.
    private static let adapterTime = Duration.milliseconds(300)

    init(
        _ executor: LinkExecutor,
        _ device: LinkDevice,
        _ client: BlueZClient,
        _ desk: PairingAgent,
        _ log: Log
    ) {
        self.executor = executor
        self.device = device
        self.client = client
        self.desk = desk
        self.log = log
    }

    private var clock: any EventClock { client.clock }

    private var isPaired: Bool { device.properties?.isPaired == true }

    /// Pairs for a user; `completion` is called once, in a later turn.
    func pair(
        _ user: LinkStateMachine.User,
        limit: Duration,
        _ completion: @escaping Completion
    ) -> PairCallStateMachine.Caller {
        lastCaller += 1
        let caller = lastCaller
        let clock = clock
        completions[caller] = completion
        guard executor.isMember(user) else {
            tell(caller, .bluez(.linkLost))
            return caller
        }
        perform(
            machine.begin(caller, of: user, deadline: clock.now + limit, isPaired: isPaired)
        )
        return caller
    }

    /// Stops waiting for a pairing.
    func withdraw(_ caller: PairCallStateMachine.Caller) {
        perform(machine.withdraw(caller, .cancelled))
    }

    /// Cancels a user's calls, and refuses requests from bluetoothd.
    ///
    /// `done` is called once, in a later turn, when nothing is pending.
    func cancel(_ user: LinkStateMachine.User, _ done: @escaping () -> Void) {
        let clock = clock
        perform(machine.left(user, .cancelled))
        if machine.isIdle, let path = device.path { desk.over(path) }
        guard machine.isCancelling else { return clock.later(done) }
        whenQuiet.append { clock.later(done) }
    }

    func left(_ user: LinkStateMachine.User) {
        perform(machine.left(user, .bluez(.linkLost)))
    }

    /// The link ended, or the device or bluetoothd disappeared.
    func ended(_ failure: BlueZFailure) {
        (judged, judging, deferred) = (nil, nil, [])
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
            desk.whenSettled { [weak self] in
                guard let self else { return }
                perform(machine.prepared(call, isPaired: isPaired))
            }
        case .pair(let number): pair(number)
        case .cancelPairing(let number):
            forgetCall()
            guard let path = device.path else { return perform(machine.cancelReplied(number)) }
            log.debug("CancelPairing called", ["path": path.text])
            client.call(Device1.cancelPairing(path), timeout: Self.cancelLimit) {
                [weak self] _ in
                guard let self else { return }
                perform(machine.cancelReplied(number))
            }
        case .tell(let caller, let failure): tell(caller, failure)
        case .quiet:
            let told = whenQuiet
            whenQuiet = []
            for one in told { one() }
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
        desk.begins(path)
        log.debug("Pair called", ["path": path.text])
        call = client.call(Device1.pair(path), timeout: Self.callLimit) {
            [weak self] result in
            guard let self else { return }
            call = nil
            var failure: PairingFailure?
            if case .failure(let error) = result { failure = PairingFailure(error) }
            desk.over(path)
            if failure != nil, desk.wasRefused(path) { failure = .refused }
            if case .bluez(.pairing)? = failure {
                judge { $0.replied(number, failure) }
            } else {
                conclude(failure) { $0.replied(number, failure) }
            }
        }
    }

    // Report this failure before the less specific end of the link. If the bus ends, its pending calls
    // fail inside the caller that releases it.
    private func conclude(
        _ failure: PairingFailure?,
        _ event: (inout PairCallStateMachine) -> [PairCallStateMachine.Action]
    ) {
        isAnswer = failure != .bluez(.daemonGone)
        perform(event(&machine))
        isAnswer = false
    }

    // MARK: Adapter removal

    // bluetoothd reports the end of the pairing and of the link before the change of the adapter.
    private func judge(
        _ event: @escaping (inout PairCallStateMachine) -> [PairCallStateMachine.Action]
    ) {
        guard judged == nil else { return }
        judged = event
        client.refresh(adapter: device.adapter) { [weak self] in self?.adapterIsKnown() }
    }

    private func adapterIsKnown() {
        guard judged != nil else { return }
        let objects = client.objects
        guard objects.adapterState(device.adapter) == .on else {
            let deferred = deferred
            ended(.adapterOff)
            for work in deferred { work() }
            return
        }
        let isConnected = device.path.map { objects.isConnected($0) } ?? false
        guard !isConnected else { return settle() }
        judging = clock.schedule(after: Self.adapterTime) { [weak self] in self?.settle() }
    }

    private func settle() {
        judging = nil
        guard let event = judged else { return }
        judged = nil
        conclude(.cancelled, event)
        let deferred = deferred
        self.deferred = []
        for work in deferred { work() }
    }

    /// The link is ending; `work` waits until it is known whether the adapter caused this.
    func linkEnds(_ work: @escaping () -> Void) {
        if call != nil { judge { $0.ended(.linkLost) } }
        guard judged != nil else { return work() }
        deferred.append(work)
    }

    private func forgetCall() {
        if let call { client.cancel(call) }
        call = nil
    }

    private func tell(_ caller: PairCallStateMachine.Caller, _ failure: PairingFailure?) {
        if machine.isIdle { forgetCall() }
        guard let completion = completions.removeValue(forKey: caller) else { return }
        if isAnswer { completion(failure) } else { clock.later { completion(failure) } }
    }
}

extension LinkLease {
    /// Pairs with the device; succeeds if it is already paired.
    ///
    /// - Parameters:
    ///   - limit: The time until the pairing is cancelled and fails with `timedOut`; bluetoothd may never
    ///     reply.
    ///   - completion: Called once, in a later turn; `nil` is success.
    /// - Returns: The identifier for `withdrawPairing`.
    package func pair(
        limit: Duration,
        completion: @escaping (PairingFailure?) -> Void
    ) -> PairCallID {
        PairCallID(number: link.pairing.pair(user, limit: limit, completion))
    }

    /// Fails a pairing with `cancelled`, and cancels it at bluetoothd if no other caller waits for it.
    package func withdrawPairing(_ request: PairCallID) {
        link.pairing.withdraw(request.number)
    }

    /// Fails this lease's pairings with `cancelled`, and refuses bluetoothd's requests for the device.
    ///
    /// `done` is called once, in a later turn, when bluetoothd has ended them.
    package func cancelPairing(_ done: @escaping () -> Void) {
        link.pairing.cancel(user, done)
    }
}

/// The identifier of one lease's pairing call; never reused.
package struct PairCallID {
    let number: PairCallStateMachine.Caller
}
