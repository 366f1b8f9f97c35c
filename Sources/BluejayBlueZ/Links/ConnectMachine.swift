/// Brings one link up: finds the device, calls `Connect`, waits for the services, tries again.
///
/// It runs until the link is up, has failed for good, or is abandoned; time limits of the users are
/// above it. `Connect` answers before the services are known and sometimes although there is no
/// link, so that only `Connected` and `ServicesResolved` count. Instants are arguments.
///
/// Invariant: after `start` exactly one `finish` comes.
package struct ConnectMachine: Equatable {
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
        /// The device object has gone.
        case gone
        /// The adapter is off or bluetoothd has gone.
        case unavailable
    }

    /// How it ended.
    package enum Outcome: Equatable {
        case connected
        case failed(String)
        case unpaired(String)
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
        case callConnect
        case callDisconnect
        /// Ask for all objects, then report `refreshed`.
        case refreshObjects
        /// Report `timerFired` at the instant; nil disarms it.
        case setTimer(Duration?)
        case finish(Outcome)
    }

    private enum State: Equatable {
        /// Not started. Next: `discovering`, `connecting`, `resolving`, `refreshing`.
        case idle
        /// No device object. Next: `connecting`, `finished`.
        case discovering
        /// `Connect` is pending. Next: `settling`, `resolving`, `pausing`, `clearing`, `abandoning`.
        case connecting(since: Duration)
        /// `Connect` succeeded without a link so far. Next: `resolving`, `pausing`, `abandoning`.
        case settling
        /// The link is up. Next: `refreshing`, `pausing`, `abandoning`.
        case resolving
        /// The services are known; all objects are read. Next: `refreshing`, `finished`, `pausing`.
        case refreshing(isSecond: Bool)
        /// Objects were missing; read once more after a moment. Next: `refreshing`, `pausing`.
        case waitingForObjects
        /// Between two attempts. Next: `connecting`, `discovering`, `finished`.
        case pausing
        /// `Disconnect` is pending, to end somebody's `Connect`. Next: `pausing`, `abandoning`.
        case clearing
        /// `Disconnect` is pending, to end everything. Next: `finished`.
        case abandoning
        /// Nothing more comes.
        case finished
    }

    /// Quick failures in a row that end it.
    static let attemptLimit = 3
    /// An attempt that took longer met a silent peer rather than a fault, and does not count.
    static let silence = Duration.seconds(15)
    /// How long `Connected` may lag behind the reply of `Connect`.
    static let settleTime = Duration.seconds(1)
    /// How long a link may take to resolve its services; bluetoothd itself gives up after 30 s.
    static let resolveTime = Duration.seconds(45)
    static let objectWait = Duration.milliseconds(200)

    private var state = State.idle
    private var failures = 0
    private var isKnown = false

    package init() {}

    /// Whether `abandon` was called and the end is near.
    package var isAbandoning: Bool { state == .abandoning }

    /// Begins with what is known of the device.
    package mutating func start(
        known: Bool,
        connected: Bool,
        resolved: Bool,
        now: Duration
    ) -> [Action] {
        guard state == .idle else { return [] }
        isKnown = known
        guard connected else { return attempt(now) }
        // The link outlived its maker, or another program made it: `Connect` must not be called.
        return resolved ? refresh(isSecond: false) : resolve(now)
    }

    /// The device object exists now.
    package mutating func appeared(now: Duration) -> [Action] {
        isKnown = true
        guard state == .discovering else { return [] }
        return [.endDiscovery] + attempt(now)
    }

    /// The device object has gone.
    package mutating func removed(now: Duration) -> [Action] {
        isKnown = false
        switch state {
        case .idle, .finished, .discovering, .pausing: return []
        case .abandoning: return finish(.abandoned)
        case .connecting, .settling, .resolving, .refreshing, .waitingForObjects, .clearing:
            return retry("the device has gone", now)
        }
    }

    /// `Connect` answered.
    package mutating func replied(_ reply: Reply, now: Duration) -> [Action] {
        guard case .connecting(let since) = state else { return [] }
        switch reply {
        case .accepted:
            state = .settling
            // With both ends under one bluetoothd 5.66 `Connected` is not signalled: it has to be read.
            return [.setTimer(now + Self.settleTime), .refreshObjects]
        case .busy:
            state = .clearing
            return [.setTimer(nil), .callDisconnect]
        case .broken(let text):
            if now - since >= Self.silence { failures = 0 }
            return retry(text, now)
        case .refused(let text): return finish(.failed(text))
        case .unpaired(let text): return finish(.unpaired(text))
        case .gone:
            isKnown = false
            return retry("the device has gone", now)
        case .unavailable: return finish(.unavailable)
        }
    }

    /// `Connected` changed.
    package mutating func connected(_ isConnected: Bool, now: Duration) -> [Action] {
        switch state {
        case .connecting, .settling: return isConnected ? resolve(now) : []
        case .resolving, .refreshing, .waitingForObjects:
            return isConnected ? [] : retry("the link broke before its services were known", now)
        case .idle, .discovering, .pausing, .clearing, .abandoning, .finished: return []
        }
    }

    /// `ServicesResolved` became true.
    package mutating func resolved() -> [Action] {
        guard state == .resolving else { return [] }
        return refresh(isSecond: false)
    }

    /// All objects were read.
    package mutating func refreshed(hasServices: Bool, now: Duration) -> [Action] {
        guard case .refreshing(let isSecond) = state else { return [] }
        guard !hasServices, !isSecond else { return finish(.connected) }
        state = .waitingForObjects
        return [.setTimer(now + Self.objectWait)]
    }

    /// `Disconnect` answered, with whatever result.
    package mutating func disconnectReplied(now: Duration) -> [Action] {
        switch state {
        case .clearing: return retry("another connection attempt was in the way", now)
        case .abandoning: return finish(.abandoned)
        case .idle, .discovering, .connecting, .settling, .resolving, .refreshing,
            .waitingForObjects, .pausing, .finished:
            return []
        }
    }

    /// The timer fired.
    package mutating func timerFired(now: Duration) -> [Action] {
        switch state {
        case .settling: return retry("the connection was reported and did not come", now)
        case .resolving: return retry("the services were not resolved in time", now)
        case .waitingForObjects: return refresh(isSecond: true)
        case .pausing: return attempt(now)
        case .idle, .discovering, .connecting, .refreshing, .clearing, .abandoning, .finished:
            return []
        }
    }

    /// Nobody wants the link any more.
    package mutating func abandon() -> [Action] {
        switch state {
        case .idle, .finished, .abandoning: return []
        case .discovering: return [.endDiscovery] + finish(.abandoned)
        case .pausing: return finish(.abandoned)
        case .clearing:
            // Its `Disconnect` is under way and serves.
            state = .abandoning
            return []
        case .connecting, .settling, .resolving, .refreshing, .waitingForObjects:
            state = .abandoning
            return [.setTimer(nil), .callDisconnect]
        }
    }

    /// The adapter went off or away, or bluetoothd did.
    package mutating func unavailable() -> [Action] {
        switch state {
        case .idle, .finished: return []
        case .abandoning: return finish(.abandoned)
        case .discovering: return [.endDiscovery] + finish(.unavailable)
        case .connecting, .settling, .resolving, .refreshing, .waitingForObjects, .pausing,
            .clearing:
            return finish(.unavailable)
        }
    }

    // MARK: Steps

    private mutating func attempt(_ now: Duration) -> [Action] {
        guard isKnown else {
            state = .discovering
            return [.setTimer(nil), .discover]
        }
        state = .connecting(since: now)
        return [.setTimer(nil), .callConnect]
    }

    private mutating func resolve(_ now: Duration) -> [Action] {
        state = .resolving
        return [.setTimer(now + Self.resolveTime)]
    }

    private mutating func refresh(isSecond: Bool) -> [Action] {
        state = .refreshing(isSecond: isSecond)
        return [.setTimer(nil), .refreshObjects]
    }

    private mutating func retry(_ text: String, _ now: Duration) -> [Action] {
        failures += 1
        guard failures < Self.attemptLimit else { return finish(.failed(text)) }
        state = .pausing
        // 250 ms, then 500 ms.
        return [.setTimer(now + .milliseconds(250 * failures))]
    }

    private mutating func finish(_ outcome: Outcome) -> [Action] {
        state = .finished
        return [.setTimer(nil), .finish(outcome)]
    }
}
