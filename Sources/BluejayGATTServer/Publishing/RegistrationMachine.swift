/// Decides when something that bluetoothd should know is registered and withdrawn.
///
/// One machine is one service or one advertisement, from `begin` to its end. It is registered again
/// whenever bluetoothd has forgotten it, so a restart of the daemon goes unnoticed but for the time it
/// takes.
struct RegistrationMachine {
    /// How a registration ended, or why it was never made.
    enum Outcome: Equatable {
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
    enum Action: Equatable {
        /// Sends the registration; the answer carries the number of the attempt.
        case register(attempt: Int)
        /// Takes the registration back.
        case unregister(attempt: Int)
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
        /// → registered, waiting, withdrawing, ended
        case registering
        /// → waiting, withdrawing, ended
        case registered
        /// → ended
        case withdrawing
        /// The last one.
        case ended
    }

    private var state: State = .made
    private var attempt = 0
    private var isBeginPending = false
    private var isWithdrawAsked = false
    private var pendingWithdraws = 0

    /// Whether bluetoothd knows it at present.
    var isRegistered: Bool { state == .registered }
    /// Whether nothing can happen any more.
    var isEnded: Bool { state == .ended }

    /// The user asks for it.
    ///
    /// - Parameters:
    ///   - isAvailable: Whether bluetoothd can take it now.
    ///   - isKnown: Whether it is known that Bluetooth can or cannot be used; if not, it waits.
    /// - Returns: What is to be done.
    mutating func begin(isAvailable: Bool, isKnown: Bool) -> [Action] {
        guard state == .made else { return [] }
        isBeginPending = true
        state = .waiting
        if isAvailable { return register() }
        return isKnown ? unavailable() : []
    }

    /// The user takes it back; each call is completed.
    mutating func withdraw() -> [Action] {
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
        case .registered:
            pendingWithdraws += 1
            return unregister()
        case .withdrawing:
            pendingWithdraws += 1
            return []
        }
    }

    /// bluetoothd can take registrations.
    mutating func available() -> [Action] {
        state == .waiting ? register() : []
    }

    /// Bluetooth cannot be used; what is registered stays.
    mutating func unavailable() -> [Action] {
        // Only the call that begins it fails: what was registered once comes back by itself.
        guard state == .waiting, isBeginPending else { return [] }
        return end() + completeBegin(.unavailable)
    }

    /// bluetoothd or the adapter went away, and every registration with it.
    mutating func lost() -> [Action] {
        switch state {
        case .made, .waiting, .ended:
            return []
        case .registering where isBeginPending:
            attempt += 1
            return end() + completeBegin(.unavailable)
        case .registering where isWithdrawAsked:
            attempt += 1
            return end() + completeWithdraws()
        case .registering, .registered:
            attempt += 1
            state = .waiting
            return []
        case .withdrawing:
            attempt += 1
            return end() + completeWithdraws()
        }
    }

    /// bluetoothd let it go, as it does before it exits; it comes back with `available`.
    ///
    /// - Parameter isFinal: Whether it was to end by itself, at its time limit.
    /// - Returns: What is to be done.
    mutating func released(isFinal: Bool) -> [Action] {
        guard state == .registered else { return [] }
        attempt += 1
        if isFinal { return end() + [.tellEnded(.registered)] }
        state = .waiting
        return []
    }

    /// The answer to `register`.
    mutating func answered(_ answer: Outcome, attempt answered: Int) -> [Action] {
        guard answered == attempt, state == .registering else { return [] }
        guard answer == .registered else {
            if isBeginPending { return end() + completeBegin(answer) }
            return end() + (isWithdrawAsked ? completeWithdraws() : [.tellEnded(answer)])
        }
        state = .registered
        if isWithdrawAsked { return unregister() }
        return completeBegin(.registered)
    }

    /// The answer to `unregister`, whatever it is.
    mutating func unregistered(attempt answered: Int) -> [Action] {
        guard answered == attempt, state == .withdrawing else { return [] }
        return end() + completeWithdraws()
    }

    private mutating func register() -> [Action] {
        state = .registering
        attempt += 1
        return [.register(attempt: attempt)]
    }

    private mutating func unregister() -> [Action] {
        state = .withdrawing
        attempt += 1
        return [.unregister(attempt: attempt)]
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
