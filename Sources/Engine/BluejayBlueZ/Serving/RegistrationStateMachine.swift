/// Decides when something that bluetoothd should know is registered and withdrawn.
///
/// One machine is one service or one advertisement, from `begin` to its end. It is registered again
/// whenever bluetoothd has forgotten it, so a restart of the daemon goes unnoticed but for the time it
/// takes. Where it is registered belongs to the state: what is taken back is taken back from there,
/// whichever adapter is in use by then.
package struct RegistrationStateMachine<Adapter: Equatable>: Equatable {
    /// How a registration ended, or why it was never made.
    package enum Outcome: Equatable {
        /// bluetoothd knows it now.
        case registered
        /// bluetoothd refused; the reason is kept by the caller.
        case refused
        /// Bluetooth cannot be used.
        case unavailable
        /// It was withdrawn before it was known.
        case withdrawn
    }

    /// What is to be done.
    package enum Action: Equatable {
        /// Sends the registration; the answer carries the number of the attempt.
        case register(at: Adapter, attempt: Int)
        /// Takes the registration back.
        case unregister(at: Adapter, attempt: Int)
        /// Takes the registration back from an adapter that is left; nobody waits for the answer.
        case forsake(at: Adapter)
        /// Completes the user's call that began it.
        case completeBegin(Outcome)
        /// Completes the user's call that withdrew it.
        case completeWithdraw
        /// Tells that it ended without the user's doing, after `completeBegin(.registered)`.
        case tellEnded(Outcome)
        /// Everything is over: the objects can be taken off the bus. Completions follow it, so that a
        /// user who calls back in finds nothing left.
        case dispose
    }

    private enum State: Equatable {
        /// → waiting
        case made
        /// bluetoothd cannot take it now → registering, ended
        case waiting
        /// → registered, registering elsewhere, waiting, withdrawing, ended
        case registering(at: Adapter)
        /// → registering elsewhere, waiting, withdrawing, ended
        case registered(at: Adapter)
        /// → ended
        case withdrawing(at: Adapter)
        /// The last one.
        case ended
    }

    private var state: State = .made
    /// Where it goes on when the answer from the adapter that is left has come.
    private var next: Adapter?
    private var attempt = 0
    private var isBeginPending = false
    private var isWithdrawAsked = false
    private var pendingWithdraws = 0

    package init() {}

    /// The adapter that has it or was asked to take it; nil while there is none.
    package var adapter: Adapter? {
        switch state {
        case .registering(let adapter), .registered(let adapter), .withdrawing(let adapter): adapter
        case .made, .waiting, .ended: nil
        }
    }
    /// Whether bluetoothd knows it at present.
    package var isRegistered: Bool {
        if case .registered = state { true } else { false }
    }
    /// Whether an adapter has it, or is to get it, and is not to be changed for another that is on.
    package var isInUse: Bool {
        switch state {
        case .registering, .registered: true
        case .made, .waiting, .withdrawing, .ended: false
        }
    }
    /// Whether nothing can happen any more.
    package var isEnded: Bool { state == .ended }

    /// The user asks for it.
    ///
    /// - Parameters:
    ///   - adapter: The one that can take it now; nil when there is none.
    ///   - isKnown: Whether it is known that Bluetooth can or cannot be used; if not, it waits.
    /// - Returns: What is to be done.
    package mutating func begin(at adapter: Adapter?, isKnown: Bool) -> [Action] {
        guard state == .made else { return [] }
        isBeginPending = true
        state = .waiting
        if let adapter { return register(at: adapter) }
        return isKnown ? unavailable() : []
    }

    /// The user takes it back; each call is completed.
    package mutating func withdraw() -> [Action] {
        switch state {
        case .made, .ended:
            state = .ended
            return [.completeWithdraw]
        case .waiting:
            return end() + completeBegin(.withdrawn) + [.completeWithdraw]
        case .registering:
            // The answer decides whether there is something to take back.
            isWithdrawAsked = true
            pendingWithdraws += 1
            return completeBegin(.withdrawn)
        case .registered(let adapter):
            pendingWithdraws += 1
            return unregister(at: adapter)
        case .withdrawing:
            pendingWithdraws += 1
            return []
        }
    }

    /// An adapter can take registrations, and is the one in use from now on.
    ///
    /// - Parameters:
    ///   - adapter: What is registered elsewhere moves there.
    ///   - isOver: Whether its time was over while no adapter had it.
    /// - Returns: What is to be done.
    package mutating func available(at adapter: Adapter, isOver: Bool = false) -> [Action] {
        switch state {
        case .waiting where isOver && !isBeginPending:
            return end() + [.tellEnded(.registered)]
        case .waiting:
            return register(at: adapter)
        case .registering(let place):
            // Two answers at a time would not be told apart by bluetoothd: the first one comes first.
            next = adapter == place ? nil : adapter
            return []
        case .registered(let place):
            return adapter == place ? [] : [.forsake(at: place)] + register(at: adapter)
        case .made, .withdrawing, .ended:
            return []
        }
    }

    /// Bluetooth cannot be used; what is registered stays.
    package mutating func unavailable() -> [Action] {
        next = nil
        // Only the call that begins it fails: what was registered once comes back by itself.
        guard state == .waiting, isBeginPending else { return [] }
        return end() + completeBegin(.unavailable)
    }

    /// bluetoothd or the adapter went away, and the registration with it.
    ///
    /// What then can or cannot be used is told by `available` or `unavailable`.
    package mutating func lost() -> [Action] {
        next = nil
        switch state {
        case .made, .waiting, .ended:
            return []
        case .registering where isWithdrawAsked, .withdrawing:
            attempt += 1
            return end() + completeWithdraws()
        case .registering, .registered:
            attempt += 1
            state = .waiting
            return []
        }
    }

    /// bluetoothd let it go, as it does before it exits; it comes back with `available`.
    ///
    /// - Parameter isFinal: Whether it ended by itself, at its time limit.
    /// - Returns: What is to be done.
    package mutating func released(isFinal: Bool) -> [Action] {
        guard isRegistered else { return [] }
        attempt += 1
        if isFinal { return end() + [.tellEnded(.registered)] }
        state = .waiting
        return []
    }

    /// The answer to `register`.
    package mutating func answered(_ answer: Outcome, attempt answered: Int) -> [Action] {
        guard answered == attempt, case .registering(let place) = state else { return [] }
        if isWithdrawAsked {
            return answer == .registered ? unregister(at: place) : end() + completeWithdraws()
        }
        if let next {
            self.next = nil
            let forsaken = answer == .registered ? [Action.forsake(at: place)] : []
            return forsaken + register(at: next)
        }
        guard answer == .registered else {
            return end() + (isBeginPending ? completeBegin(answer) : [.tellEnded(answer)])
        }
        state = .registered(at: place)
        return completeBegin(.registered)
    }

    /// The answer to `unregister`, whatever it is.
    package mutating func unregistered(attempt answered: Int) -> [Action] {
        guard answered == attempt, case .withdrawing = state else { return [] }
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

    private mutating func completeBegin(_ outcome: Outcome) -> [Action] {
        guard isBeginPending else { return [] }
        isBeginPending = false
        return [.completeBegin(outcome)]
    }

    private mutating func completeWithdraws() -> [Action] {
        let count = pendingWithdraws
        pendingWithdraws = 0
        return Array(repeating: .completeWithdraw, count: count)
    }
}
