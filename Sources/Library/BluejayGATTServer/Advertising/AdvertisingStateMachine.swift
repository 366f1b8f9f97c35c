/// Decides on the registrations of one advertisement of the user.
///
/// When the content changes, or a connection has stopped the advertising, a second registration replaces the
/// first one. If the adapter has room for both, the new one is registered before the old one is withdrawn,
/// and the old one stays if the new one is refused. `ObjectRegistration` renews registrations after a restart
/// of bluetoothd.
struct AdvertisingStateMachine<Failure: Equatable>: Equatable {
    typealias Registration = Int
    /// The number of a content; the initial content is 0.
    typealias Version = Int

    /// The result of a call of the user.
    enum Outcome: Equatable {
        case succeeded
        case failed(Failure)
        /// The call was cancelled, or the advertisement has ended.
        case cancelled
    }

    enum Action: Equatable {
        /// Registers a content, for the rest of its timeout if it was registered before.
        case register(Registration, Version)
        case withdraw(Registration)
        case completeStart(Outcome)
        case completeUpdate(Version, Outcome)
        /// Reports an end without a call of the user; the failure is nil after a timeout.
        case reportEnded(Failure?)
        case completeStop
        /// Releases the session, which has no registrations left; completions follow.
        case dispose
    }

    private enum Replacement: Equatable {
        /// Registers the same content again.
        case renewal
        case update(Version)
    }

    private enum State: Equatable {
        /// Next: `starting`, `ended`.
        case created
        /// Next: `active`, `ended`.
        case starting(Registration)
        /// Next: `replacing`, `removingOld`, `ended`.
        case active(Registration)
        /// The second registration replaces the first one. Next: `active`, `removingOld`,
        /// `addingNew`, `ended`.
        case replacing(Registration, by: Registration, Replacement)
        /// Without room for two, the first registration is withdrawn first. Next: `addingNew`, `ended`.
        case removingOld(Registration, Replacement)
        /// Next: `active`, `restoring`, `inactive`, `addingNew`, `ended`.
        case addingNew(Registration, Replacement)
        /// The new content was refused, so the previous one is registered again. Next: `active`, `inactive`,
        /// `addingNew`, `ended`.
        case restoring(Registration)
        /// bluetoothd refuses the previous content, which is retried. Next: `restoring`,
        /// `addingNew`, `ended`.
        case inactive
        case ended
    }

    var hasRoom = true
    private(set) var version: Version = 0
    private var state: State = .created
    private var lastRegistration = 0
    /// The registrations that bluetoothd may have.
    private var live: Set<Registration> = []
    private var pendingUpdates: [Version] = []
    private var isStartPending = false
    private var pendingStopCount = 0
    /// Whether a connection may have stopped the advertising of the current registration.
    private var isStale = false
    /// Whether a renewal was refused and the old registration kept.
    private var renewalFailed = false

    /// Whether the advertisement has ended or is ending.
    var isEnded: Bool { state == .ended }

    /// The current registration, if any.
    var registration: Registration? {
        switch state {
        case .starting(let one), .active(let one), .replacing(let one, by: _, _),
            .removingOld(let one, _),
            .addingNew(let one, _), .restoring(let one):
            one
        case .created, .inactive, .ended: nil
        }
    }

    // MARK: The user

    mutating func start() -> [Action] {
        guard state == .created else { return [] }
        isStartPending = true
        return register { .starting($0) }
    }

    mutating func update(_ version: Version) -> [Action] {
        guard state != .ended else { return [.completeUpdate(version, .cancelled)] }
        pendingUpdates.append(version)
        return proceed()
    }

    /// Ends the advertisement; each call completes when bluetoothd has no registrations left.
    mutating func stop() -> [Action] {
        pendingStopCount += 1
        guard state != .ended else { return live.isEmpty ? completeStops() : [] }
        let withdrawn = live.sorted().map { Action.withdraw($0) }
        return withdrawn + end()
    }

    // MARK: bluetoothd

    /// A registration was accepted, or refused and reported to `removed(_:)` first; `isFull` if the adapter has
    /// no room.
    mutating func started(
        _ registration: Registration,
        _ failure: Failure?,
        isFull: Bool = false
    ) -> [Action] {
        switch state {
        case .starting(registration):
            guard let failure else {
                isStartPending = false
                return activate(registration, [.completeStart(.succeeded)])
            }
            return end(.failed(failure))
        case .replacing(let old, by: registration, let replacement):
            guard let failure else {
                return activate(registration, [.withdraw(old)] + completed(replacement, .succeeded))
            }
            if isFull { return removeOld(old, replacement) }
            renewalFailed = renewalFailed || replacement == .renewal
            return activate(old, completed(replacement, .failed(failure)))
        case .addingNew(registration, let replacement):
            guard let failure else {
                return activate(registration, completed(replacement, .succeeded))
            }
            state = .inactive
            guard case .update = replacement else { return proceed() }
            let completion = completed(replacement, .failed(failure))
            return register { .restoring($0) } + completion
        case .restoring(registration):
            guard failure != nil else { return activate(registration, []) }
            state = .inactive
            return proceed()
        case .created, .starting, .active, .replacing, .removingOld, .addingNew, .restoring,
            .inactive, .ended:
            return []
        }
    }

    /// bluetoothd no longer has a registration, for whatever reason.
    mutating func removed(_ registration: Registration) -> [Action] {
        live.remove(registration)
        if case .removingOld(registration, let replacement) = state { return addNew(replacement) }
        return state == .ended && live.isEmpty ? finish() : []
    }

    /// bluetoothd ended an accepted registration, which is reported to `removed(_:)` first.
    mutating func ended(_ registration: Registration, _ failure: Failure?) -> [Action] {
        switch state {
        case .active(registration): return end() + [.reportEnded(failure)]
        case .replacing(registration, by: let next, let replacement):
            if failure == nil, replacement == .renewal {
                return [.withdraw(next)] + end() + [.reportEnded(nil)]
            }
            state = .addingNew(next, replacement)
            return []
        case .created, .starting, .active, .replacing, .removingOld, .addingNew, .restoring,
            .inactive, .ended:
            return []
        }
    }

    /// A central has connected, which may have stopped the advertising.
    mutating func connected() -> [Action] {
        guard state != .created, state != .ended, state != .inactive else { return [] }
        isStale = true
        return proceed()
    }

    /// bluetoothd has lost a registration, which `ObjectRegistration` renews.
    mutating func lost(_ registration: Registration) {
        guard registration == self.registration else { return }
        isStale = false
        renewalFailed = false
    }

    /// A possible obstacle to a refused registration is gone.
    mutating func retry() -> [Action] {
        if state == .inactive { return register { .restoring($0) } }
        guard renewalFailed, case .active = state else { return [] }
        isStale = true
        return proceed()
    }

    // MARK: Steps

    private mutating func register(_ next: (Registration) -> State) -> [Action] {
        lastRegistration += 1
        live.insert(lastRegistration)
        state = next(lastRegistration)
        return [.register(lastRegistration, version(of: state))]
    }

    /// The content that a state is about to register.
    private func version(of state: State) -> Version {
        switch state {
        case .replacing(_, by: _, .update(let version)), .addingNew(_, .update(let version)):
            version
        case .created, .starting, .active, .replacing, .removingOld, .addingNew, .restoring,
            .inactive, .ended:
            version
        }
    }

    private mutating func activate(_ registration: Registration, _ actions: [Action]) -> [Action] {
        state = .active(registration)
        return actions + proceed()
    }

    // A registration that follows all requests is not stale.
    private mutating func proceed() -> [Action] {
        switch state {
        case .active(let registration):
            guard let replacement = nextReplacement() else { return [] }
            guard hasRoom else { return removeOld(registration, replacement) }
            return register { .replacing(registration, by: $0, replacement) }
        case .inactive where !pendingUpdates.isEmpty:
            return addNew(.update(pendingUpdates.removeFirst()))
        case .created, .starting, .replacing, .removingOld, .addingNew, .restoring, .inactive,
            .ended:
            return []
        }
    }

    private mutating func nextReplacement() -> Replacement? {
        guard !pendingUpdates.isEmpty || isStale else { return nil }
        isStale = false
        renewalFailed = false
        return pendingUpdates.isEmpty ? .renewal : .update(pendingUpdates.removeFirst())
    }

    private mutating func removeOld(_ registration: Registration, _ replacement: Replacement)
        -> [Action]
    {
        state = .removingOld(registration, replacement)
        return [.withdraw(registration)]
    }

    private mutating func addNew(_ replacement: Replacement) -> [Action] {
        register { .addingNew($0, replacement) }
    }

    private mutating func completed(_ replacement: Replacement, _ outcome: Outcome) -> [Action] {
        guard case .update(let version) = replacement else { return [] }
        if outcome == .succeeded { self.version = version }
        return [.completeUpdate(version, outcome)]
    }

    private mutating func end(_ outcome: Outcome = .cancelled) -> [Action] {
        var completions: [Action] = []
        if isStartPending {
            isStartPending = false
            completions.append(.completeStart(outcome))
        }
        switch state {
        case .replacing(_, by: _, .update(let version)), .removingOld(_, .update(let version)),
            .addingNew(_, .update(let version)):
            completions.append(.completeUpdate(version, .cancelled))
        case .created, .starting, .active, .replacing, .removingOld, .addingNew, .restoring,
            .inactive, .ended:
            break
        }
        completions += pendingUpdates.map { .completeUpdate($0, .cancelled) }
        pendingUpdates = []
        state = .ended
        guard live.isEmpty else { return completions }
        return [.dispose] + completions + completeStops()
    }

    private mutating func finish() -> [Action] { [.dispose] + completeStops() }

    private mutating func completeStops() -> [Action] {
        let count = pendingStopCount
        pendingStopCount = 0
        return Array(repeating: .completeStop, count: count)
    }
}
