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
        case done
        case failed(Failure)
        /// The call was cancelled, or the advertisement has ended.
        case cancelled
    }

    enum Action: Equatable {
        /// Registers a content, for the rest of its timeout if it was registered before.
        case begin(Registration, Version)
        case withdraw(Registration)
        case completeBegin(Outcome)
        case completeUpdate(Version, Outcome)
        /// Reports an end without a call of the user; the failure is nil after a timeout.
        case tellEnded(Failure?)
        case completeStop
        /// Releases the session, which has no registrations left; completions follow.
        case dispose
    }

    private enum Task: Equatable {
        /// Registers the same content again.
        case renewal
        case update(Version)
    }

    private enum State: Equatable {
        /// → beginning
        case made
        /// → on, ended
        case beginning(Registration)
        /// → replacing, clearing, ended
        case on(Registration)
        /// The second registration replaces the first one → on, clearing, refilling, ended
        case replacing(Registration, by: Registration, Task)
        /// Without room for two, the first registration is withdrawn first → refilling, ended
        case clearing(Registration, Task)
        /// → on, restoring, out, ended
        case refilling(Registration, Task)
        /// The new content was refused, so the previous one is registered again → on, out, ended
        case restoring(Registration)
        /// bluetoothd refuses the previous content, which is retried → restoring, refilling, ended
        case out
        case ended
    }

    var hasRoom = true
    private(set) var version: Version = 0
    private var state: State = .made
    private var lastRegistration = 0
    /// The registrations that bluetoothd may have.
    private var live: Set<Registration> = []
    private var updates: [Version] = []
    private var isBeginPending = false
    private var stops = 0
    /// Whether a connection may have stopped the advertising of the current registration.
    private var isStale = false
    /// Whether a renewal was refused and the old registration kept.
    private var wasRefused = false

    /// Whether the advertisement has ended or is ending.
    var isEnded: Bool { state == .ended }

    /// The current registration, if any.
    var registration: Registration? {
        switch state {
        case .beginning(let one), .on(let one), .replacing(let one, by: _, _),
            .clearing(let one, _),
            .refilling(let one, _), .restoring(let one):
            one
        case .made, .out, .ended: nil
        }
    }

    // MARK: The user

    mutating func begin() -> [Action] {
        guard state == .made else { return [] }
        isBeginPending = true
        return start { .beginning($0) }
    }

    mutating func update(_ version: Version) -> [Action] {
        guard state != .ended else { return [.completeUpdate(version, .cancelled)] }
        updates.append(version)
        return proceed()
    }

    /// Ends the advertisement; each call completes when bluetoothd has no registrations left.
    mutating func stop() -> [Action] {
        stops += 1
        guard state != .ended else { return live.isEmpty ? completeStops() : [] }
        let withdrawn = live.sorted().map { Action.withdraw($0) }
        return withdrawn + end()
    }

    // MARK: bluetoothd

    /// A registration was accepted, or refused and reported to `gone(_:)` first; `isFull` if the adapter has
    /// no room.
    mutating func begun(
        _ registration: Registration,
        _ failure: Failure?,
        isFull: Bool = false
    ) -> [Action] {
        switch state {
        case .beginning(registration):
            guard let failure else {
                isBeginPending = false
                return on(registration, [.completeBegin(.done)])
            }
            return end(.failed(failure))
        case .replacing(let old, by: registration, let task):
            guard let failure else {
                return on(registration, [.withdraw(old)] + completed(task, .done))
            }
            if isFull { return clear(old, task) }
            wasRefused = wasRefused || task == .renewal
            return on(old, completed(task, .failed(failure)))
        case .refilling(registration, let task):
            guard let failure else { return on(registration, completed(task, .done)) }
            state = .out
            guard case .update = task else { return proceed() }
            let completion = completed(task, .failed(failure))
            return start { .restoring($0) } + completion
        case .restoring(registration):
            guard failure != nil else { return on(registration, []) }
            state = .out
            return proceed()
        case .made, .beginning, .on, .replacing, .clearing, .refilling, .restoring, .out, .ended:
            return []
        }
    }

    /// bluetoothd no longer has a registration, for whatever reason.
    mutating func gone(_ registration: Registration) -> [Action] {
        live.remove(registration)
        if case .clearing(registration, let task) = state { return refill(task) }
        return state == .ended && live.isEmpty ? finish() : []
    }

    /// bluetoothd ended an accepted registration, which is reported to `gone(_:)` first.
    mutating func ended(_ registration: Registration, _ failure: Failure?) -> [Action] {
        switch state {
        case .on(registration): return end() + [.tellEnded(failure)]
        case .replacing(registration, by: let next, let task):
            if failure == nil, task == .renewal {
                return [.withdraw(next)] + end() + [.tellEnded(nil)]
            }
            state = .refilling(next, task)
            return []
        case .made, .beginning, .on, .replacing, .clearing, .refilling, .restoring, .out, .ended:
            return []
        }
    }

    /// A central has connected, which may have stopped the advertising.
    mutating func connected() -> [Action] {
        guard state != .made, state != .ended, state != .out else { return [] }
        isStale = true
        return proceed()
    }

    /// bluetoothd has lost a registration, which `ObjectRegistration` renews.
    mutating func lost(_ registration: Registration) {
        guard registration == self.registration else { return }
        isStale = false
        wasRefused = false
    }

    /// A possible obstacle to a refused registration is gone.
    mutating func retry() -> [Action] {
        if state == .out { return start { .restoring($0) } }
        guard wasRefused, case .on = state else { return [] }
        isStale = true
        return proceed()
    }

    // MARK: Steps

    private mutating func start(_ next: (Registration) -> State) -> [Action] {
        lastRegistration += 1
        live.insert(lastRegistration)
        state = next(lastRegistration)
        return [.begin(lastRegistration, version(of: state))]
    }

    /// The content that a state is about to register.
    private func version(of state: State) -> Version {
        switch state {
        case .replacing(_, by: _, .update(let version)), .refilling(_, .update(let version)):
            version
        case .made, .beginning, .on, .replacing, .clearing, .refilling, .restoring, .out, .ended:
            version
        }
    }

    private mutating func on(_ registration: Registration, _ actions: [Action]) -> [Action] {
        state = .on(registration)
        return actions + proceed()
    }

    // A registration that follows all requests is not stale.
    private mutating func proceed() -> [Action] {
        switch state {
        case .on(let registration):
            guard let task = nextTask() else { return [] }
            guard hasRoom else { return clear(registration, task) }
            return start { .replacing(registration, by: $0, task) }
        case .out where !updates.isEmpty: return refill(.update(updates.removeFirst()))
        case .made, .beginning, .replacing, .clearing, .refilling, .restoring, .out, .ended:
            return []
        }
    }

    private mutating func nextTask() -> Task? {
        guard !updates.isEmpty || isStale else { return nil }
        isStale = false
        wasRefused = false
        return updates.isEmpty ? .renewal : .update(updates.removeFirst())
    }

    private mutating func clear(_ registration: Registration, _ task: Task) -> [Action] {
        state = .clearing(registration, task)
        return [.withdraw(registration)]
    }

    private mutating func refill(_ task: Task) -> [Action] {
        start { .refilling($0, task) }
    }

    private mutating func completed(_ task: Task, _ outcome: Outcome) -> [Action] {
        guard case .update(let version) = task else { return [] }
        if outcome == .done { self.version = version }
        return [.completeUpdate(version, outcome)]
    }

    private mutating func end(_ outcome: Outcome = .cancelled) -> [Action] {
        var completions: [Action] = []
        if isBeginPending {
            isBeginPending = false
            completions.append(.completeBegin(outcome))
        }
        switch state {
        case .replacing(_, by: _, .update(let version)), .clearing(_, .update(let version)),
            .refilling(_, .update(let version)):
            completions.append(.completeUpdate(version, .cancelled))
        case .made, .beginning, .on, .replacing, .clearing, .refilling, .restoring, .out, .ended:
            break
        }
        completions += updates.map { .completeUpdate($0, .cancelled) }
        updates = []
        state = .ended
        guard live.isEmpty else { return completions }
        return [.dispose] + completions + completeStops()
    }

    private mutating func finish() -> [Action] { [.dispose] + completeStops() }

    private mutating func completeStops() -> [Action] {
        let count = stops
        stops = 0
        return Array(repeating: .completeStop, count: count)
    }
}
