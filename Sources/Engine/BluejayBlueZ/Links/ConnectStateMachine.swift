/// Brings one link up: finds the device, calls `Connect`, waits for the services, tries again.
///
/// It runs until the link is up, has failed for good, or is abandoned; time limits of the users are
/// above it. `Connect` answers before the services are known and sometimes although there is no
/// link, so that only `Connected` and `ServicesResolved` count. They do not tell of a `Disconnect` that
/// is under way, so that a link that was there already is checked. Instants are arguments.
///
/// Invariant: after `start` exactly one `finish` comes.
package struct ConnectStateMachine: Equatable {
    private enum State: Equatable {
        /// Not started. Next: `discovering`, `connecting`, `resolving`, `reading`, `checking`, `parting`,
        /// `holding`, `ending`.
        case idle
        /// No device object. Next: `connecting`, `finished`.
        case discovering
        /// `Connect` is pending. Next: `settling`, `resolving`, `reading`, `checking`, `parting`,
        /// `pausing`, `yielding`, `ending`.
        case connecting(call: Int, since: Duration)
        /// `Connect` succeeded without a link so far. Next: `resolving`, `pausing`, `holding`.
        case settling(since: Duration)
        /// The link is up. Next: `reading`, `checking`, `pausing`, `holding`, `finished`.
        case resolving(since: Duration)
        /// Nobody wants the link, and `Disconnect` would crash bluetoothd while the discovery of the
        /// services is unanswered. Next: `ending`, `resolving`, `connecting`, `discovering`, `finished`.
        case holding(since: Duration)
        /// The services are known; what may be missing is read. Next: `reading`, `waitingForObjects`,
        /// `checking`, `finished`, `pausing`, `ending`.
        case reading(call: Int, step: Reading)
        /// Objects were missing; read once more after a moment. Next: `reading`, `pausing`, `ending`.
        case waitingForObjects
        /// The link was there already: it is asked whether somebody ends it. Next: `outlasting`, `parting`,
        /// `connecting`, `pausing`, `ending`, `finished`.
        case checking(call: Int)
        /// Nothing tells whether somebody ends it: it is good when it lasts longer than bluetoothd takes
        /// for that. Next: `connecting`, `pausing`, `ending`, `finished`.
        case outlasting
        /// It is being ended; a stale one by the kernel. Next: `connecting`, `pausing`, `finished`.
        case parting(isStale: Bool)
        /// Between two attempts. Next: `connecting`, `discovering`, `finished`.
        case pausing
        /// Another program's `Connect` is pending; it may bring the link up. Next: `resolving`,
        /// `connecting`, `finished`.
        case yielding
        /// `Disconnect` is pending, to end everything. Next: `finished`.
        case ending(call: Int, Outcome)
        /// Nothing more comes.
        case finished
    }

    private var state = State.idle
    private var failures = 0
    private var isKnown = false
    /// Whether the services were resolved as late as after a discovery that failed.
    private var isLate = false
    /// Whether the link existed before, so that its discovery may have begun long ago.
    private(set) var isAdopted = false
    /// Whether a `Connect` of this program made the link, or is pending.
    private(set) var isDialled = false
    private var lastCall = 0
    /// Until when another program is waited for.
    private var yieldsUntil: Duration?
    /// Added to the pauses, so that two who wait for each other do not do so in step.
    private var jitter = Duration.zero

    /// Makes one that has not begun.
    ///
    /// - Parameter previous: The attempt before it, whose late answers carry other numbers.
    package init(after previous: ConnectStateMachine? = nil) {
        lastCall = previous?.lastCall ?? 0
    }

    /// Begins with what is known of the device.
    ///
    /// - Parameters:
    ///   - known: Whether bluetoothd has the device.
    ///   - connected: Whether it has a link.
    ///   - services: Nil while the services are not resolved.
    ///   - isStale: Whether the link is that of a bluetoothd that was killed.
    ///   - jitter: Up to 250 ms, another one each time.
    ///   - now: The present instant.
    /// - Returns: What to do.
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

    /// Begins with a link that no user wants, and ends it as soon as its services are resolved.
    mutating func cut(isResolving: Bool, now: Duration) -> [Action] {
        guard state == .idle else { return [] }
        isKnown = true
        return isResolving ? hold(since: now) : end(.abandoned)
    }

    /// The device object exists now.
    package mutating func appeared(now: Duration) -> [Action] {
        isKnown = true
        guard state == .discovering else { return [] }
        return [.endDiscovery] + attempt(now)
    }

    /// The search for the device has failed.
    package mutating func searchFailed(_ failure: LinkFailure) -> [Action] {
        guard state == .discovering else { return [] }
        return [.endDiscovery] + finish(.unreached(failure))
    }

    /// The device object has gone.
    package mutating func removed(now: Duration) -> [Action] {
        isKnown = false
        switch state {
        case .idle, .finished, .discovering, .pausing: return []
        case .ending(_, let outcome): return finish(outcome)
        case .holding: return finish(.abandoned)
        case .connecting, .settling, .resolving, .reading, .waitingForObjects, .yielding, .checking,
            .outlasting, .parting:
            return retry("the device has gone", now)
        }
    }

    /// There was a link already when `Connect` was to be called.
    ///
    /// - Parameters:
    ///   - call: The number of the call.
    ///   - services: Nil while the services are not resolved.
    ///   - isStale: Whether the link is that of a bluetoothd that was killed.
    ///   - now: The present instant.
    /// - Returns: What to do.
    mutating func found(
        _ call: Int,
        services: Services?,
        isStale: Bool,
        now: Duration
    ) -> [Action] {
        guard case .connecting(call, _) = state else { return [] }
        return adopt(services, isStale: isStale, now)
    }

    /// `Connect` answered.
    package mutating func replied(_ call: Int, _ reply: Reply, now: Duration) -> [Action] {
        guard case .connecting(call, let since) = state else { return [] }
        switch reply {
        case .accepted:
            state = .settling(since: now)
            lastCall += 1
            // With both ends under one bluetoothd 5.66 `Connected` is not signalled: it has to be read.
            return [.setTimer(now + Self.settleTime), .readDevice(lastCall)]
        case .busy: return yield(now)
        case .broken(let text):
            if now - since >= Self.silence { failures = 0 }
            return retry(text, now)
        case .refused(let text): return finish(.failed(text))
        case .unpaired(let text): return finish(.unpaired(text))
        case .unreached(let failure): return finish(.unreached(failure))
        case .gone:
            isKnown = false
            return retry("the device has gone", now)
        case .unavailable: return finish(.unavailable)
        }
    }

    /// `Connected` changed.
    package mutating func connected(_ isConnected: Bool, now: Duration) -> [Action] {
        switch state {
        case .connecting, .settling, .yielding: return isConnected ? resolve(now) : []
        case .resolving, .reading, .waitingForObjects:
            return isConnected ? [] : retry("the link broke before its services were known", now)
        case .holding: return isConnected ? [] : finish(.abandoned)
        case .checking, .outlasting, .parting: return isConnected ? [] : attempt(now)
        case .idle, .discovering, .pausing, .ending, .finished: return []
        }
    }

    /// `ServicesResolved` became true.
    package mutating func resolved(_ services: Services, now: Duration) -> [Action] {
        switch state {
        case .resolving(let since):
            isLate = isAdopted || now - since >= Self.emptyTime
            return read(services)
        case .holding: return end(.abandoned)
        default: return []
        }
    }

    /// The device or all objects were read.
    package mutating func refreshed(
        _ call: Int,
        _ services: Services,
        now: Duration
    ) -> [Action] {
        guard case .reading(call, let step) = state else { return [] }
        switch step {
        // Services that bluetoothd keeps to itself are named and have no objects.
        case .device where services == .none: return read(.objects)
        case .objects where services == .none:
            state = .waitingForObjects
            return [.setTimer(now + Self.objectWait)]
        case .objectsAgain where services == .none && isLate:
            return end(.failed("the peripheral did not answer the discovery of its services"))
        case .device, .objects, .objectsAgain: return succeed()
        }
    }

    /// It is known whether somebody ends the link.
    mutating func checked(_ call: Int, _ life: Life, now: Duration) -> [Action] {
        guard case .checking(call) = state else { return [] }
        switch life {
        case .lasting: return finish(.connected)
        case .ending: return part(now)
        case .unknown:
            state = .outlasting
            return [.setTimer(now + Self.outlastTime)]
        }
    }

    /// `Disconnect` answered, with whatever result.
    package mutating func disconnectReplied(_ call: Int) -> [Action] {
        guard case .ending(call, let outcome) = state else { return [] }
        return finish(outcome)
    }

    /// The timer fired.
    package mutating func timerFired(now: Duration) -> [Action] {
        switch state {
        case .settling: return retry("the connection was reported and did not come", now)
        case .resolving:
            let text = "the services were not resolved in time"
            // Nobody may be left with a link that no one uses: the peripheral would not be found.
            if failures + 1 >= Self.attemptLimit { return end(.failed(text)) }
            return retry(text, now)
        case .waitingForObjects: return read(.objectsAgain)
        case .pausing, .yielding: return attempt(now)
        case .holding: return end(.abandoned)
        case .outlasting: return finish(.connected)
        case .parting(isStale: true):
            lastCall += 1
            return part(now) + [.callDisconnect(lastCall)]
        case .parting(isStale: false): return retry("an earlier link did not end", now)
        case .idle, .discovering, .connecting, .reading, .checking, .ending, .finished: return []
        }
    }

    /// The last user gave up the link.
    ///
    /// A link that this program did not dial is cut with `cutsForeign`.
    package mutating func abandon(cutsForeign: Bool = true) -> [Action] {
        if !cutsForeign, !isDialled, progress == .up { return finish(.abandoned) }
        switch state {
        case .idle, .finished: return []
        case .discovering: return [.endDiscovery] + finish(.abandoned)
        // The attempt that is under way is another program's, or the link ends by itself.
        case .pausing, .yielding, .parting: return finish(.abandoned)
        case .ending(let call, _):
            // Its `Disconnect` is under way and serves.
            state = .ending(call: call, .abandoned)
            return []
        // A link may be up that has not been reported yet.
        case .settling(let since), .resolving(let since): return hold(since: since)
        case .holding: return []
        case .connecting, .reading, .waitingForObjects, .checking, .outlasting:
            return end(.abandoned)
        }
    }

    /// Whether nobody wants the link, and `Disconnect` waits until it is safe.
    package var isHolding: Bool {
        if case .holding = state { return true }
        return false
    }

    /// A user wants the link again before its `Disconnect` was sent.
    package mutating func resume(isConnected: Bool, now: Duration) -> [Action] {
        guard case .holding(let since) = state else { return [] }
        guard isConnected else { return attempt(now) }
        state = .resolving(since: since)
        return [.setTimer(since + Self.resolveTime)]
    }

    /// The adapter went off or away, or bluetoothd did.
    package mutating func unavailable() -> [Action] {
        switch state {
        case .idle, .finished: return []
        case .ending(_, let outcome): return finish(outcome)
        case .holding: return finish(.abandoned)
        case .discovering: return [.endDiscovery] + finish(.unavailable)
        case .connecting, .settling, .resolving, .reading, .waitingForObjects, .pausing, .yielding,
            .checking, .outlasting, .parting:
            return finish(.unavailable)
        }
    }

    /// How far it is; nil before the start and behind the end.
    var progress: LinkProgress? {
        switch state {
        case .idle, .holding, .ending, .finished: nil
        case .discovering: .searching
        case .connecting, .settling, .pausing, .yielding, .parting:
            .dialling(attempt: failures + 1)
        case .resolving, .reading, .waitingForObjects, .checking, .outlasting: .up
        }
    }

    // MARK: Steps

    private mutating func attempt(_ now: Duration) -> [Action] {
        isAdopted = false
        guard isKnown else {
            state = .discovering
            return [.setTimer(nil), .discover]
        }
        lastCall += 1
        isDialled = true
        state = .connecting(call: lastCall, since: now)
        return [.setTimer(nil), .callConnect(lastCall)]
    }

    // The link outlived its maker, or another program made it: `Connect` must not be called.
    private mutating func adopt(_ services: Services?, isStale: Bool, _ now: Duration) -> [Action] {
        isAdopted = true
        isDialled = false
        if isStale {
            state = .parting(isStale: true)
            return [.setTimer(now + Self.staleTime)]
        }
        return services.map { read($0) } ?? resolve(now)
    }

    private mutating func part(_ now: Duration) -> [Action] {
        state = .parting(isStale: false)
        return [.setTimer(now + Self.partingTime)]
    }

    private mutating func succeed() -> [Action] {
        guard isAdopted else { return finish(.connected) }
        lastCall += 1
        state = .checking(call: lastCall)
        return [.setTimer(nil), .check(lastCall)]
    }

    private mutating func resolve(_ now: Duration) -> [Action] {
        yieldsUntil = nil
        state = .resolving(since: now)
        return [.setTimer(now + Self.resolveTime)]
    }

    private mutating func read(_ services: Services) -> [Action] {
        services == .all ? succeed() : read(.device)
    }

    private mutating func read(_ step: Reading) -> [Action] {
        lastCall += 1
        state = .reading(call: lastCall, step: step)
        return [.setTimer(nil), step == .device ? .readDevice(lastCall) : .readObjects(lastCall)]
    }

    private mutating func yield(_ now: Duration) -> [Action] {
        let until = yieldsUntil ?? now + Self.yieldLimit
        yieldsUntil = until
        guard now < until else {
            return finish(.failed("another connection attempt was in the way"))
        }
        isDialled = false
        state = .yielding
        return [.setTimer(now + Self.yieldTime + jitter)]
    }

    private mutating func retry(_ text: String, _ now: Duration) -> [Action] {
        failures += 1
        guard failures < Self.attemptLimit else { return finish(.failed(text)) }
        state = .pausing
        // 250 ms, then 500 ms.
        return [.setTimer(now + .milliseconds(250 * failures) + jitter)]
    }

    private mutating func hold(since: Duration) -> [Action] {
        state = .holding(since: since)
        return [.setTimer(since + Self.discoveryTime)]
    }

    private mutating func end(_ outcome: Outcome) -> [Action] {
        lastCall += 1
        state = .ending(call: lastCall, outcome)
        return [.setTimer(nil), .callDisconnect(lastCall)]
    }

    private mutating func finish(_ outcome: Outcome) -> [Action] {
        state = .finished
        return [.setTimer(nil), .finish(outcome)]
    }
}

extension ConnectStateMachine {
    /// How it ended.
    package enum Outcome: Equatable {
        case connected
        case failed(String)
        case unpaired(String)
        case unreached(LinkFailure)
        /// Bluetooth became unavailable.
        case unavailable
        /// Given up by `abandon`; nothing of it is pending in bluetoothd any more.
        case abandoned
    }

    /// What to do.
    package enum Action: Equatable {
        /// Scan until the device object appears, then report `appeared`.
        case discover
        case endDiscovery
        /// Report `replied` with the number, or `found` when there is a link already.
        case callConnect(Int)
        /// Report `disconnectReplied` with the number.
        case callDisconnect(Int)
        /// Ask for the properties of the device, behind which everything stands that bluetoothd had to
        /// signal, then report `refreshed` with the number.
        case readDevice(Int)
        /// Ask for all objects, then report `refreshed` with the number.
        case readObjects(Int)
        /// Ask whether the link is being ended, then report `checked` with the number.
        case check(Int)
        /// Report `timerFired` at the instant; nil disarms it.
        case setTimer(Duration?)
        case finish(Outcome)
    }

    /// What is known of the services of a device.
    package enum Services: Equatable {
        /// No object of them is there.
        case none
        /// The device names more than there are objects.
        case some
        case all
    }

    /// What is read when services may be missing.
    enum Reading: Equatable {
        case device, objects, objectsAgain
    }

    /// What is known of the end of a link that was there already.
    enum Life: Equatable {
        /// Nobody ends it.
        case lasting
        /// Somebody has called `Disconnect`: bluetoothd ends it 2 s later.
        case ending
        /// bluetoothd does not tell.
        case unknown
    }
}

/// How often an attempt is made, and how long each step may take.
extension ConnectStateMachine {
    /// Quick failures in a row that end it.
    static let attemptLimit = 3
    /// An attempt that took longer met a silent peer rather than a fault, and does not count.
    static let silence = Duration.seconds(15)
    /// How long `Connected` may lag behind the reply of `Connect`.
    static let settleTime = Duration.seconds(1)
    /// How long a link may take to resolve its services; bluetoothd itself gives up after 30 s.
    static let resolveTime = Duration.seconds(45)
    /// How long a discovery may be unanswered: 30 s of ATT, and a margin.
    ///
    /// `Disconnect` before that crashes bluetoothd 5.66 and 5.82.
    static let discoveryTime = Duration.seconds(36)
    /// Services that are resolved later than this, and are none, are a discovery that failed; so are those
    /// of a link that was taken over during its discovery.
    static let emptyTime = Duration.seconds(25)
    /// What bluetoothd waits before it ends a link, and a margin.
    static let outlastTime = Duration.milliseconds(2500)
    /// How long the end of a link is waited for.
    static let partingTime = Duration.seconds(5)
    /// How long the kernel mostly takes to end the link of a bluetoothd that was killed, and a margin.
    static let staleTime = Duration.seconds(1)
    static let objectWait = Duration.milliseconds(200)
    /// How often it is tried again while another program's attempt is under way.
    static let yieldTime = Duration.seconds(1)
    /// How long another program's attempt is waited for; bluetoothd gives one up after 41 s.
    static let yieldLimit = Duration.seconds(60)
}

extension ConnectStateMachine {
    /// What a `Connect` call came back with.
    package enum Reply: Equatable {
        case accepted
        /// A `Connect` of somebody is pending already.
        case busy
        /// Nobody answered, or the link broke while it was set up; trying again may help.
        case broken(String)
        /// Trying again cannot help.
        case refused(String)
        /// Pairing failed, or the keys of one side have gone.
        case unpaired(String)
        /// bluetoothd cannot be asked at all.
        case unreached(LinkFailure)
        /// The device object has gone.
        case gone
        /// The adapter is off or bluetoothd has gone.
        case unavailable
    }
}
