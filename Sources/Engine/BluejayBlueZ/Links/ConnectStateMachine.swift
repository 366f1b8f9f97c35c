/// Brings one link up: finds the device, calls `Connect`, waits for the services, retries.
///
/// The machine runs until the link is up, has failed for good, or is cancelled; the owner enforces the
/// users' time limits. `Connect` replies before the services are known, and sometimes without a link, so
/// only `Connected` and `ServicesResolved` count. Neither shows a pending `Disconnect`, so an existing link
/// is checked. Instants are arguments.
///
/// Invariant: exactly one `finish` follows `start`.
package struct ConnectStateMachine: Equatable {
    private enum State: Equatable {
        /// Not started. Next: `discovering`, `connecting`, `resolving`, `reading`, `checking`,
        /// `waitingForLinkEnd`, `deferringDisconnect`, `disconnecting`.
        case idle
        /// No device object. Next: `connecting`, `finished`.
        case discovering
        /// `Connect` is pending. Next: `settling`, `resolving`, `reading`, `checking`, `waitingForLinkEnd`,
        /// `pausing`, `waitingForOtherProgram`, `cancelling`.
        case connecting(call: Int, since: Duration)
        /// `Connect` succeeded, and the link has not appeared. Next: `resolving`, `pausing`,
        /// `deferringDisconnect`.
        case settling(since: Duration)
        /// The link is up. Next: `reading`, `checking`, `pausing`, `deferringDisconnect`, `finished`.
        case resolving(since: Duration)
        /// The link has no users, and its service discovery is pending, during which `Disconnect` ends
        /// bluetoothd on some kernels. Next: `disconnecting`, `resolving`, `connecting`, `discovering`, `finished`.
        case deferringDisconnect(since: Duration)
        /// The services are known; possibly missing objects are read. Next: `reading`, `waitingForObjects`,
        /// `checking`, `finished`, `pausing`, `disconnecting`.
        case reading(call: Int, step: ReadStep)
        /// Objects were missing and are read again after a delay. Next: `reading`, `pausing`,
        /// `disconnecting`.
        case waitingForObjects
        /// The link existed before; the owner checks whether another program is ending it. Next:
        /// `checking`, `outlasting`, `waitingForLinkEnd`, `connecting`, `pausing`, `disconnecting`, `finished`.
        case checking(call: Int)
        /// The link may be ending; it is good if it outlasts bluetoothd's delay. Next: `connecting`,
        /// `pausing`, `disconnecting`, `finished`.
        case outlasting
        /// The link is ending; a stale one by the kernel. Next: `connecting`, `pausing`, `finished`.
        case waitingForLinkEnd(isStale: Bool)
        /// Between two attempts. Next: `connecting`, `discovering`, `finished`.
        case pausing
        /// Another program's `Connect` is pending; it may bring the link up. Next: `resolving`,
        /// `connecting`, `finished`.
        case waitingForOtherProgram
        /// `Disconnect` is cancelling the pending `Connect`. Next: `confirming`, `finished`.
        case cancelling(call: Int)
        /// The owner checks whether the link is up despite the cancellation. Next: `deferringDisconnect`,
        /// `disconnecting`, `finished`.
        case confirming(call: Int)
        /// The final `Disconnect` is pending. Next: `finished`.
        case disconnecting(call: Int, Outcome)
        /// Next: none.
        case finished
    }

    private var state = State.idle
    private var failureCount = 0
    private var isKnown = false
    /// Whether the services were resolved so late that their discovery may have failed.
    private var isLate = false
    /// Whether `Connect` succeeded before the link was reported.
    ///
    /// bluetoothd 5.66 occasionally signals no `Connected`; then another program may be ending the link.
    private var isUnsignalled = false
    /// Whether the link existed before this attempt.
    private(set) var isAdopted = false
    /// Whether a `Connect` of this program made the link, or is pending.
    private(set) var isLocallyInitiated = false
    private var lastCall = 0
    /// The deadline for another program's attempt.
    private var busyDeadline: Duration?
    /// A random addition to the delays, which keeps two waiting programs out of step.
    private var jitter = Duration.zero
    /// Whether `Disconnect` waits for the end of service discovery.
    private let holdsEarlyDisconnect: Bool

    /// Creates a machine whose call numbers follow those of the previous attempt.
    ///
    /// With `holdsEarlyDisconnect`, `Disconnect` is not called while service discovery is pending.
    package init(after previous: ConnectStateMachine? = nil, holdsEarlyDisconnect: Bool = true) {
        lastCall = previous?.lastCall ?? 0
        self.holdsEarlyDisconnect = holdsEarlyDisconnect
    }

    /// Starts from the state of the device; `services` is nil while they are not resolved.
    package mutating func start(
        known: Bool,
        connected: Bool,
        services: Services?,
        isStale: Bool = false,
        jitter: Duration = .zero,
        now: Duration
    ) -> [Action] {
        guard state == .idle else { return [] }
        isKnown = known
        self.jitter = jitter
        return connected ? adopt(services, isStale: isStale, now) : attempt(now)
    }

    /// Starts with a link without users, and ends the link once its services are resolved.
    mutating func startDisconnect(isResolving: Bool, now: Duration) -> [Action] {
        guard state == .idle else { return [] }
        isKnown = true
        return endUnwanted(isResolving: isResolving, now)
    }

    /// The device object appeared.
    package mutating func appeared(now: Duration) -> [Action] {
        isKnown = true
        guard state == .discovering else { return [] }
        return [.endDiscovery] + attempt(now)
    }

    package mutating func discoveryFailed(_ failure: LinkFailure) -> [Action] {
        guard state == .discovering else { return [] }
        return [.endDiscovery] + finish(.daemonUnreachable(failure))
    }

    /// The device object was removed.
    package mutating func removed(now: Duration) -> [Action] {
        isKnown = false
        switch state {
        case .idle, .finished, .discovering, .pausing: return []
        case .disconnecting(_, let outcome): return finish(outcome)
        case .deferringDisconnect, .cancelling, .confirming: return finish(.cancelled)
        case .connecting, .settling, .resolving, .reading, .waitingForObjects,
            .waitingForOtherProgram, .checking,
            .outlasting, .waitingForLinkEnd:
            return retry("bluetoothd removed the device", now)
        }
    }

    /// The device was already connected when `Connect` was due.
    mutating func found(
        _ call: Int,
        services: Services?,
        isStale: Bool,
        now: Duration
    ) -> [Action] {
        guard case .connecting(call, _) = state else { return [] }
        return adopt(services, isStale: isStale, now)
    }

    package mutating func replied(_ call: Int, _ reply: Reply, now: Duration) -> [Action] {
        guard case .connecting(call, let since) = state else { return [] }
        switch reply {
        case .accepted:
            state = .settling(since: now)
            lastCall += 1
            // If both ends belong to one bluetoothd 5.66, it does not signal `Connected`, which must be
            // read.
            return [.setTimer(now + Self.settleTime), .readDevice(lastCall)]
        case .busy: return waitForOtherProgram(now)
        case .transientFailure(let text):
            if now - since >= Self.unresponsiveThreshold { failureCount = 0 }
            return retry(text, now)
        case .permanentFailure(let text): return finish(.failed(text))
        case .pairingRequired(let text): return finish(.pairingRequired(text))
        case .daemonUnreachable(let failure): return finish(.daemonUnreachable(failure))
        case .deviceRemoved:
            isKnown = false
            return retry("bluetoothd removed the device", now)
        case .unavailable: return finish(.unavailable)
        }
    }

    package mutating func connected(_ isConnected: Bool, now: Duration) -> [Action] {
        switch state {
        case .connecting, .waitingForOtherProgram: return isConnected ? resolve(now) : []
        case .settling:
            guard isConnected else { return [] }
            isUnsignalled = true
            return resolve(now)
        case .resolving, .reading, .waitingForObjects:
            return isConnected ? [] : retry("the link broke before its services were known", now)
        case .deferringDisconnect: return isConnected ? [] : finish(.cancelled)
        case .checking, .outlasting, .waitingForLinkEnd: return isConnected ? [] : attempt(now)
        case .idle, .discovering, .pausing, .cancelling, .confirming, .disconnecting, .finished:
            return []
        }
    }

    package mutating func resolved(_ services: Services, now: Duration) -> [Action] {
        switch state {
        case .resolving(let since):
            isLate = isAdopted || now - since >= Self.emptyTime
            return read(services)
        case .deferringDisconnect: return disconnect(.cancelled)
        default: return []
        }
    }

    package mutating func refreshed(
        _ call: Int,
        _ services: Services,
        now: Duration
    ) -> [Action] {
        guard case .reading(call, let step) = state else { return [] }
        switch step {
        // Services that bluetoothd hides are named and have no objects.
        case .device where services == .none: return read(.objects)
        case .objects where services == .none:
            state = .waitingForObjects
            return [.setTimer(now + Self.objectRetryDelay)]
        case .objectsAgain where services == .none && isLate:
            return disconnect(.failed(Self.unansweredDiscovery))
        case .device, .objects, .objectsAgain: return succeed()
        }
    }

    /// The owner found out whether another program is ending the link.
    mutating func checked(_ call: Int, _ life: Life, now: Duration) -> [Action] {
        guard case .checking(call) = state else { return [] }
        switch life {
        case .lasting: return finish(.connected)
        case .ending: return waitForLinkEnd(now)
        case .unknown where !isAdopted: return finish(.connected)
        case .unknown:
            state = .outlasting
            return [.setTimer(now + Self.outlastTime)]
        case .unanswered: return check()
        }
    }

    package mutating func disconnectReplied(_ call: Int) -> [Action] {
        switch state {
        case .disconnecting(call, let outcome): return finish(outcome)
        case .cancelling(call):
            lastCall += 1
            state = .confirming(call: lastCall)
            return [.confirm(lastCall)]
        default: return []
        }
    }

    /// The owner found out whether the link is up after the cancellation; `services` is nil while they are
    /// not resolved.
    mutating func confirmed(_ call: Int, isConnected: Bool, services: Services?, now: Duration)
        -> [Action]
    {
        guard case .confirming(call) = state else { return [] }
        guard isConnected else { return finish(.cancelled) }
        return endUnwanted(isResolving: services == nil, now)
    }

    package mutating func timerFired(now: Duration) -> [Action] {
        switch state {
        case .settling: return retry("the connection was reported and did not come", now)
        case .resolving:
            let text = "the services were not resolved in time"
            // A link without users must end, or other centrals could not find the peripheral.
            if failureCount + 1 >= Self.maximumAttemptCount { return disconnect(.failed(text)) }
            return retry(text, now)
        case .waitingForObjects: return read(.objectsAgain)
        case .pausing, .waitingForOtherProgram: return attempt(now)
        case .deferringDisconnect: return disconnect(.cancelled)
        case .outlasting: return finish(.connected)
        case .waitingForLinkEnd(isStale: true):
            lastCall += 1
            return waitForLinkEnd(now) + [.callDisconnect(lastCall)]
        case .waitingForLinkEnd(isStale: false): return retry("an earlier link did not end", now)
        case .idle, .discovering, .connecting, .reading, .checking, .cancelling, .confirming,
            .disconnecting, .finished:
            return []
        }
    }

    /// The last user cancelled the attempt.
    ///
    /// A link that this program did not initiate is disconnected only with `disconnectsExternal`.
    package mutating func cancel(disconnectsExternal: Bool = true) -> [Action] {
        if !disconnectsExternal, !isLocallyInitiated, progress == .connected {
            return finish(.cancelled)
        }
        switch state {
        case .idle, .finished: return []
        case .discovering: return [.endDiscovery] + finish(.cancelled)
        // The pending attempt is another program's, or the link ends by itself.
        case .pausing, .waitingForOtherProgram, .waitingForLinkEnd: return finish(.cancelled)
        case .disconnecting(let call, _):
            // Its pending `Disconnect` suffices.
            state = .disconnecting(call: call, .cancelled)
            return []
        // A link may exist that has not been reported yet.
        case .settling(let since), .resolving(let since): return deferDisconnect(since: since)
        case .deferringDisconnect, .cancelling, .confirming: return []
        case .connecting:
            lastCall += 1
            state = .cancelling(call: lastCall)
            return [.setTimer(nil), .callDisconnect(lastCall)]
        case .reading, .waitingForObjects, .checking, .outlasting: return disconnect(.cancelled)
        }
    }

    package var isDisconnectDeferred: Bool {
        if case .deferringDisconnect = state { return true }
        return false
    }

    /// Whether the users that cancelled need not wait any longer.
    var isCancellationReported: Bool {
        if case .confirming = state { return true }
        return isDisconnectDeferred
    }

    /// A user requests the link again before its `Disconnect` was sent.
    package mutating func resume(isConnected: Bool, now: Duration) -> [Action] {
        guard case .deferringDisconnect(let since) = state else { return [] }
        guard isConnected else { return attempt(now) }
        state = .resolving(since: since)
        return [.setTimer(since + Self.resolveTimeout)]
    }

    /// The adapter or bluetoothd became unavailable.
    package mutating func unavailable() -> [Action] {
        switch state {
        case .idle, .finished: return []
        case .disconnecting(_, let outcome): return finish(outcome)
        case .deferringDisconnect, .cancelling, .confirming: return finish(.cancelled)
        case .discovering: return [.endDiscovery] + finish(.unavailable)
        case .connecting, .settling, .resolving, .reading, .waitingForObjects, .pausing,
            .waitingForOtherProgram,
            .checking, .outlasting, .waitingForLinkEnd:
            return finish(.unavailable)
        }
    }

    /// The progress of the attempt; nil before its start and after its end.
    var progress: LinkProgress? {
        switch state {
        case .idle, .deferringDisconnect, .cancelling, .confirming, .disconnecting, .finished: nil
        case .discovering: .discovering
        case .connecting, .settling, .pausing, .waitingForOtherProgram, .waitingForLinkEnd:
            .connecting(attempt: failureCount + 1)
        case .resolving, .reading, .waitingForObjects, .checking, .outlasting: .connected
        }
    }

    // MARK: Steps

    private mutating func attempt(_ now: Duration) -> [Action] {
        isAdopted = false
        isUnsignalled = false
        guard isKnown else {
            state = .discovering
            return [.setTimer(nil), .discover]
        }
        lastCall += 1
        isLocallyInitiated = true
        state = .connecting(call: lastCall, since: now)
        return [.setTimer(nil), .callConnect(lastCall)]
    }

    // The link outlived its program, or another program made it: `Connect` must not be called.
    private mutating func adopt(_ services: Services?, isStale: Bool, _ now: Duration) -> [Action] {
        isAdopted = true
        isLocallyInitiated = false
        if isStale {
            state = .waitingForLinkEnd(isStale: true)
            return [.setTimer(now + Self.staleTime)]
        }
        return services.map { read($0) } ?? resolve(now)
    }

    private mutating func waitForLinkEnd(_ now: Duration) -> [Action] {
        state = .waitingForLinkEnd(isStale: false)
        return [.setTimer(now + Self.linkEndTimeout)]
    }

    private mutating func succeed() -> [Action] {
        isAdopted || isUnsignalled ? check() : finish(.connected)
    }

    private mutating func check() -> [Action] {
        lastCall += 1
        state = .checking(call: lastCall)
        return [.setTimer(nil), .check(lastCall)]
    }

    private mutating func resolve(_ now: Duration) -> [Action] {
        busyDeadline = nil
        state = .resolving(since: now)
        return [.setTimer(now + Self.resolveTimeout)]
    }

    private mutating func read(_ services: Services) -> [Action] {
        services == .all ? succeed() : read(.device)
    }

    private mutating func read(_ step: ReadStep) -> [Action] {
        lastCall += 1
        state = .reading(call: lastCall, step: step)
        return [.setTimer(nil), step == .device ? .readDevice(lastCall) : .readObjects(lastCall)]
    }

    private mutating func waitForOtherProgram(_ now: Duration) -> [Action] {
        let until = busyDeadline ?? now + Self.busyTimeout
        busyDeadline = until
        guard now < until else {
            return finish(.failed("another connection attempt was in the way"))
        }
        isLocallyInitiated = false
        state = .waitingForOtherProgram
        return [.setTimer(now + Self.busyRetryInterval + jitter)]
    }

    private mutating func retry(_ text: String, _ now: Duration) -> [Action] {
        failureCount += 1
        guard failureCount < Self.maximumAttemptCount else { return finish(.failed(text)) }
        state = .pausing
        // 250 ms, then 500 ms.
        return [.setTimer(now + .milliseconds(250 * failureCount) + jitter)]
    }

    private mutating func endUnwanted(isResolving: Bool, _ now: Duration) -> [Action] {
        isResolving ? deferDisconnect(since: now) : disconnect(.cancelled)
    }

    private mutating func deferDisconnect(since: Duration) -> [Action] {
        state = .deferringDisconnect(since: since)
        // Without a reason to wait, the timer fires in the next iteration.
        return [.setTimer(holdsEarlyDisconnect ? since + Self.discoveryTime : since)]
    }

    private mutating func disconnect(_ outcome: Outcome) -> [Action] {
        lastCall += 1
        state = .disconnecting(call: lastCall, outcome)
        return [.setTimer(nil), .callDisconnect(lastCall)]
    }

    private mutating func finish(_ outcome: Outcome) -> [Action] {
        state = .finished
        return [.setTimer(nil), .finish(outcome)]
    }
}

extension ConnectStateMachine {
    package enum Outcome: Equatable {
        case connected
        case failed(String)
        case pairingRequired(String)
        case daemonUnreachable(LinkFailure)
        case unavailable
        /// Ended by `cancel`; no call is pending in bluetoothd.
        case cancelled
    }

    package enum Action: Equatable {
        /// Scan until the device object appears, then report `appeared`.
        case discover
        case endDiscovery
        /// Call `Connect`, then report `replied` with this number, or `found` if the device is already
        /// connected.
        case callConnect(Int)
        /// Call `Disconnect`, then report `disconnectReplied` with this number.
        case callDisconnect(Int)
        /// Read the device's properties, then report `refreshed` with this number.
        ///
        /// bluetoothd sends its pending signals before the reply.
        case readDevice(Int)
        /// Read all objects, then report `refreshed` with this number.
        case readObjects(Int)
        /// Check whether the link is ending, then report `checked` with this number.
        case check(Int)
        /// Read the device's properties, then report `confirmed` with this number.
        case confirm(Int)
        /// Report `timerFired` at the instant; nil disarms the timer.
        case setTimer(Duration?)
        case finish(Outcome)
    }

    package enum Services: Equatable {
        /// No service has an object.
        case none
        /// The device names services without objects.
        case some
        case all
    }

    /// The steps of reading possibly missing services.
    enum ReadStep: Equatable {
        case device, objects, objectsAgain
    }

    /// The expected life of an existing link.
    enum Life: Equatable {
        /// No program is ending the link.
        case lasting
        /// Another program has called `Disconnect`; bluetoothd ends the link after 2 s.
        case ending
        case unknown
        /// bluetoothd stands still, and so may the end of the link.
        case unanswered
    }
}

extension ConnectStateMachine {
    static let unansweredDiscovery = "the peripheral did not answer the discovery of its services"
    /// The number of consecutive quick failures that end the attempt.
    static let maximumAttemptCount = 3
    /// The duration from which a failed attempt does not count: the peer is silent rather than faulty.
    static let unresponsiveThreshold = Duration.seconds(15)
    /// The time that `Connected` may lag the reply of `Connect`.
    static let settleTime = Duration.seconds(1)
    /// The time limit for resolving services; bluetoothd's own limit is 30 s.
    static let resolveTimeout = Duration.seconds(45)
    /// The time that a service discovery may be pending: 30 s of ATT, and a margin.
    ///
    /// An earlier `Disconnect` ends bluetoothd if the kernel has the error of
    /// `LinuxKernel.crashesOnEarlyDisconnect`.
    static let discoveryTime = Duration.seconds(36)
    /// The time after which an empty result means a failed service discovery.
    ///
    /// An empty result on an adopted link also counts as failed.
    static let emptyTime = Duration.seconds(25)
    /// The time that bluetoothd waits before it ends a link, and a margin.
    static let outlastTime = Duration.milliseconds(2500)
    static let linkEndTimeout = Duration.seconds(5)
    /// The time that the kernel usually needs to end the link of a killed bluetoothd, and a margin.
    static let staleTime = Duration.seconds(1)
    static let objectRetryDelay = Duration.milliseconds(200)
    /// The delay between attempts while another program's attempt is pending.
    static let busyRetryInterval = Duration.seconds(1)
    /// The time limit for another program's attempt; bluetoothd abandons one after 41 s.
    static let busyTimeout = Duration.seconds(60)
}

extension ConnectStateMachine {
    package enum Reply: Equatable {
        case accepted
        /// A `Connect` of another program is pending.
        case busy
        /// The peer did not reply, or the link broke during set-up; a retry may help.
        case transientFailure(String)
        /// A retry cannot help.
        case permanentFailure(String)
        /// Pairing failed, or one side lost its keys.
        case pairingRequired(String)
        /// bluetoothd is not reachable.
        case daemonUnreachable(LinkFailure)
        case deviceRemoved
        case unavailable
    }
}
