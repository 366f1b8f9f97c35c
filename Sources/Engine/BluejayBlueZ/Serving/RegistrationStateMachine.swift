/// Decides when a service or an advertisement is registered and withdrawn.
///
/// A machine serves one object, from `start` to its end. Whenever bluetoothd loses the registration, the
/// machine registers it again, so a restart of the daemon causes only a short interruption. The state
/// includes the adapter: an object is unregistered where it was registered, even if another adapter is
/// now in use.
package struct RegistrationStateMachine<Adapter: Equatable>: Equatable {
    package enum Outcome: Equatable {
        case registered
        /// bluetoothd refused; the caller keeps the reason.
        case failed
        case unavailable
        /// The object was withdrawn before its registration.
        case withdrawn
    }

    package enum Action: Equatable {
        /// Register the object; the reply carries the number of the attempt.
        case register(at: Adapter, attempt: Int)
        case unregister(at: Adapter, attempt: Int)
        /// Unregister the object at the previous adapter, without waiting for the reply.
        case unregisterWithoutReply(at: Adapter)
        /// Report `retryTimerFired` with the number after this time.
        case retry(attempt: Int, after: Duration)
        case completeStart(Outcome)
        case completeWithdraw
        /// Report that the registration ended without a call of the user, after
        /// `completeStart(.registered)`.
        case reportEnded(Outcome)
        /// Unexport the objects.
        ///
        /// Completions follow, so that a user who calls back finds everything disposed of.
        case dispose
    }

    private enum State: Equatable {
        /// Next: `waiting`, `ended`.
        case created
        /// bluetoothd is not available. Next: `registering`, `ended`.
        case waiting
        /// Next: `registered`, `registering` elsewhere, `waiting`, `pausing`, `withdrawing`, `ended`.
        case registering(at: Adapter)
        /// Next: `registering` elsewhere, `waiting`, `withdrawing`, `ended`.
        case registered(at: Adapter)
        /// bluetoothd refused the renewal of a registration for now. Next: `registering`, `waiting`,
        /// `ended`.
        case pausing(at: Adapter)
        /// Next: `ended`.
        case withdrawing(at: Adapter)
        /// Final.
        case ended
    }

    private var state: State = .created
    /// The next adapter, once the previous one has replied.
    private var next: Adapter?
    private var attempt = 0
    private var isStartPending = false
    private var isWithdrawRequested = false
    private var pendingWithdraws = 0
    /// The renewals in a row that bluetoothd refused for now.
    private var refusalCount = 0
    /// Whether a registration of an earlier attempt was replaced, which happens once in a row.
    private var hasReplaced = false

    package init() {}

    /// The adapter that has the object or was asked to register it, or `nil`.
    package var adapter: Adapter? {
        switch state {
        case .registering(let adapter), .registered(let adapter), .withdrawing(let adapter): adapter
        case .created, .waiting, .pausing, .ended: nil
        }
    }
    /// Whether bluetoothd has the object.
    package var isRegistered: Bool {
        if case .registered = state { true } else { false }
    }
    /// Whether an adapter has the object or will get it, and must not be exchanged.
    package var isInUse: Bool {
        switch state {
        case .registering, .registered: true
        case .created, .waiting, .pausing, .withdrawing, .ended: false
        }
    }
    package var isEnded: Bool { state == .ended }

    /// The user starts the registration.
    ///
    /// - Parameters:
    ///   - adapter: The available adapter, or `nil` if none is available.
    ///   - isAvailabilityKnown: Whether the availability of Bluetooth is known; if not, the registration
    ///     waits.
    /// - Returns: The actions to perform.
    package mutating func start(at adapter: Adapter?, isAvailabilityKnown: Bool) -> [Action] {
        guard state == .created else { return [] }
        isStartPending = true
        state = .waiting
        if let adapter { return register(at: adapter) }
        return isAvailabilityKnown ? unavailable() : []
    }

    /// The user withdraws the object; each call is completed.
    package mutating func withdraw() -> [Action] {
        switch state {
        case .created, .ended:
            state = .ended
            return [.completeWithdraw]
        case .waiting, .pausing:
            return end() + completeStart(.withdrawn) + [.completeWithdraw]
        case .registering:
            // The reply decides whether an unregistration is needed.
            isWithdrawRequested = true
            pendingWithdraws += 1
            return completeStart(.withdrawn)
        case .registered(let adapter):
            pendingWithdraws += 1
            return unregister(at: adapter)
        case .withdrawing:
            pendingWithdraws += 1
            return []
        }
    }

    /// An adapter became available and is in use.
    ///
    /// - Parameters:
    ///   - adapter: The adapter; an object registered elsewhere moves there.
    ///   - isExpired: Whether the time limit was reached while no adapter had the object.
    /// - Returns: The actions to perform.
    package mutating func available(at adapter: Adapter, isExpired: Bool = false) -> [Action] {
        switch state {
        case .waiting where isExpired && !isStartPending, .pausing where isExpired:
            return end() + [.reportEnded(.registered)]
        case .waiting, .pausing:
            return register(at: adapter)
        case .registering(let current):
            // bluetoothd could not distinguish two pending registrations, so the first reply is awaited.
            next = adapter == current ? nil : adapter
            return []
        case .registered(let current):
            return adapter == current
                ? [] : [.unregisterWithoutReply(at: current)] + register(at: adapter)
        case .created, .withdrawing, .ended:
            return []
        }
    }

    /// Bluetooth became unavailable; existing registrations remain.
    package mutating func unavailable() -> [Action] {
        next = nil
        // Only the call of `start` fails; an object that was registered before is registered again
        // later.
        guard state == .waiting, isStartPending else { return [] }
        return end() + completeStart(.unavailable)
    }

    /// bluetoothd or the adapter disappeared, and the registration with it.
    ///
    /// A call of `available` or `unavailable` follows.
    package mutating func lost() -> [Action] {
        next = nil
        hasReplaced = false
        switch state {
        case .created, .waiting, .ended:
            return []
        case .registering where isWithdrawRequested, .withdrawing:
            attempt += 1
            return end() + completeWithdraws()
        case .registering, .registered, .pausing:
            attempt += 1
            state = .waiting
            return []
        }
    }

    /// bluetoothd released the object, as it does before it exits; `available` registers it again.
    ///
    /// - Parameter isFinal: Whether the object reached its time limit.
    /// - Returns: The actions to perform.
    package mutating func released(isFinal: Bool) -> [Action] {
        guard isRegistered else { return [] }
        attempt += 1
        if isFinal { return end() + [.reportEnded(.registered)] }
        state = .waiting
        return []
    }

    /// bluetoothd replied to `register`.
    package mutating func replied(_ outcome: Outcome, attempt repliedAttempt: Int) -> [Action] {
        guard repliedAttempt == attempt, case .registering(let current) = state else { return [] }
        if isWithdrawRequested {
            return outcome == .registered ? unregister(at: current) : end() + completeWithdraws()
        }
        if let next {
            self.next = nil
            let unregistration =
                outcome == .registered ? [Action.unregisterWithoutReply(at: current)] : []
            return unregistration + register(at: next)
        }
        guard outcome == .registered else {
            return end() + (isStartPending ? completeStart(outcome) : [.reportEnded(outcome)])
        }
        state = .registered(at: current)
        hasReplaced = false
        refusalCount = 0
        return completeStart(.registered)
    }

    /// bluetoothd refused `register` for a reason that may pass.
    ///
    /// Only an object that was registered before is retried.
    package mutating func refusedForNow(attempt repliedAttempt: Int) -> [Action] {
        guard repliedAttempt == attempt, case .registering(let current) = state else { return [] }
        guard !isStartPending, !isWithdrawRequested, next == nil else {
            return replied(.failed, attempt: attempt)
        }
        state = .pausing(at: current)
        refusalCount += 1
        let pause = Duration.seconds(1 << min(refusalCount - 1, 5))
        return [.retry(attempt: attempt, after: pause)]
    }

    /// The pause of a `retry` ended.
    package mutating func retryTimerFired(attempt pausedAttempt: Int, isExpired: Bool) -> [Action] {
        guard pausedAttempt == attempt, case .pausing(let adapter) = state else { return [] }
        return available(at: adapter, isExpired: isExpired)
    }

    /// bluetoothd replied to `register` that it has the object.
    ///
    /// A call that was sent to an adapter reaches a new adapter of the same path, if the old one was
    /// removed meanwhile. The object has been exported again, so the registration is replaced.
    package mutating func alreadyRegistered(attempt repliedAttempt: Int) -> [Action] {
        guard repliedAttempt == attempt, case .registering(let current) = state else { return [] }
        if isWithdrawRequested || next != nil { return replied(.registered, attempt: attempt) }
        // The first attempt has no predecessor that bluetoothd could have.
        guard attempt > 1, !hasReplaced else { return replied(.failed, attempt: attempt) }
        hasReplaced = true
        return [.unregisterWithoutReply(at: current)] + register(at: current)
    }

    /// bluetoothd accepted an earlier attempt.
    ///
    /// The current attempt at the same adapter replaces or withdraws the registration.
    package mutating func registeredLate(at adapter: Adapter) -> [Action] {
        self.adapter == adapter ? [] : [.unregisterWithoutReply(at: adapter)]
    }

    /// Whether a reply to `register` is that of the current attempt.
    package func isCurrent(attempt repliedAttempt: Int) -> Bool { repliedAttempt == attempt }

    /// bluetoothd replied to `unregister`, with success or failure.
    package mutating func unregistered(attempt repliedAttempt: Int) -> [Action] {
        guard repliedAttempt == attempt, case .withdrawing = state else { return [] }
        return end() + completeWithdraws()
    }

    private mutating func register(at adapter: Adapter) -> [Action] {
        state = .registering(at: adapter)
        attempt += 1
        return [.register(at: adapter, attempt: attempt)]
    }

    private mutating func unregister(at adapter: Adapter) -> [Action] {
        state = .withdrawing(at: adapter)
        attempt += 1
        return [.unregister(at: adapter, attempt: attempt)]
    }

    private mutating func end() -> [Action] {
        state = .ended
        return [.dispose]
    }

    private mutating func completeStart(_ outcome: Outcome) -> [Action] {
        guard isStartPending else { return [] }
        isStartPending = false
        return [.completeStart(outcome)]
    }

    private mutating func completeWithdraws() -> [Action] {
        let count = pendingWithdraws
        pendingWithdraws = 0
        return Array(repeating: .completeWithdraw, count: count)
    }
}
