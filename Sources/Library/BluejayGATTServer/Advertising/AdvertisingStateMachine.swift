/// Decides which registrations one advertisement of a user is made of.
///
/// As a rule there is one. When the content changes, or a connection has ended the advertising, another
/// one takes its place: the new one is registered before the old one goes where the adapter has room for
/// both, so that nothing is missed, and the old one stays when the new one is refused. A registration
/// survives a restart of bluetoothd by itself.
struct AdvertisingStateMachine<Failure: Equatable>: Equatable {
    typealias Registration = Int
    /// The number of a content; that of the beginning is 0.
    typealias Version = Int

    /// How a call of the user ended.
    enum Outcome: Equatable {
        case done
        case failed(Failure)
        /// It was taken back, or the advertisement has ended.
        case cancelled
    }

    enum Action: Equatable {
        /// Registers a content, or what is left of its time when it was registered before.
        case begin(Registration, Version)
        case withdraw(Registration)
        case completeBegin(Outcome)
        case completeUpdate(Version, Outcome)
        /// Tells that it ended without the user's doing: without a failure when its time was over.
        case tellEnded(Failure?)
        case completeStop
        /// Nothing of it is left; completions follow it.
        case dispose
    }

    private enum Task: Equatable {
        /// The same content again.
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
        /// The second one is to take the first one's place → on, clearing, refilling, ended
        case replacing(Registration, by: Registration, Task)
        /// There is no room for a second one: the first one goes before → refilling, ended
        case clearing(Registration, Task)
        /// → on, restoring, out, ended
        case refilling(Registration, Task)
        /// The content of before comes back, as the new one was refused → on, out, ended
        case restoring(Registration)
        /// What was taken before is refused now, and tried again → restoring, refilling, ended
        case out
        /// The last one.
        case ended
    }

    /// Whether the adapter has room for one more registration, as far as it says.
    var hasRoom = true
    private(set) var version: Version = 0
    private var state: State = .made
    private var lastRegistration = 0
    /// Those that bluetoothd may have.
    private var live: Set<Registration> = []
    private var updates: [Version] = []
    private var isBeginPending = false
    private var stops = 0
    /// Whether a connection may have ended what is registered.
    private var isStale = false
    /// Whether a renewal was refused, and the old registration kept.
    private var wasRefused = false

    /// Whether it has come to its end, or is on the way there.
    var isEnded: Bool { state == .ended }

    /// The registration that stands for it; nil while there is none.
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

    /// Another content is wanted.
    mutating func update(_ version: Version) -> [Action] {
        guard state != .ended else { return [.completeUpdate(version, .cancelled)] }
        updates.append(version)
        return proceed()
    }

    /// It is wanted no longer; each call is completed when bluetoothd has none of it.
    mutating func stop() -> [Action] {
        stops += 1
        guard state != .ended else { return live.isEmpty ? completeStops() : [] }
        let withdrawn = live.sorted().map { Action.withdraw($0) }
        return withdrawn + end()
    }

    // MARK: bluetoothd

    /// A registration was taken, or refused; one that was refused has `gone` before.
    ///
    /// - Parameters:
    ///   - registration: Which one.
    ///   - failure: Why it was refused; nil when it was taken.
    ///   - isFull: Whether it was refused because the adapter sends no more at once.
    /// - Returns: What is to be done.
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

    /// bluetoothd has nothing of a registration any more, whoever ended it.
    mutating func gone(_ registration: Registration) -> [Action] {
        live.remove(registration)
        if case .clearing(registration, let task) = state { return refill(task) }
        return state == .ended && live.isEmpty ? finish() : []
    }

    /// A registration that was taken ended by itself, and has `gone` before.
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

    /// A central has connected, and advertising may have ended with that.
    mutating func connected() -> [Action] {
        guard state != .made, state != .ended, state != .out else { return [] }
        isStale = true
        return proceed()
    }

    /// bluetoothd has forgotten a registration, and takes it anew without anybody's doing.
    mutating func lost(_ registration: Registration) {
        guard registration == self.registration else { return }
        isStale = false
        wasRefused = false
    }

    /// What may have been in the way of a registration that was refused has gone.
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

    // What is registered after all that has been asked for is not stale.
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
