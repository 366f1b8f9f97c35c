/// Decides how long somebody waits for Bluetooth.
///
/// What is not known yet is waited for, what is off has a moment to come on, and what cannot be used
/// otherwise is said at once. Instants are arguments.
///
/// Invariant: each who waits is admitted or refused once, unless he leaves.
struct BluetoothGateMachine<Waiter: Hashable>: Equatable {
    enum Standing: Equatable {
        case unknown, on, off, unusable
    }

    /// What to do.
    enum Action: Equatable {
        case admit(Waiter)
        case refuse(Waiter)
        /// Report `timerFired` at the instant; nil disarms the one timer.
        case setTimer(Duration?)
    }

    /// How long one that is off may take to come on.
    static var grace: Duration { .seconds(1) }

    private struct Waiting: Equatable {
        let waiter: Waiter
        var deadline: Duration
    }

    /// How long it may take until something is known.
    let limit: Duration
    private var standing = Standing.unknown
    private var waiting: [Waiting] = []
    private var armed: Duration?

    init(limit: Duration) {
        self.limit = limit
    }

    mutating func wait(_ waiter: Waiter, now: Duration) -> [Action] {
        switch standing {
        case .on: return [.admit(waiter)]
        case .unusable: return [.refuse(waiter)]
        case .unknown: waiting.append(Waiting(waiter: waiter, deadline: now + limit))
        case .off: waiting.append(Waiting(waiter: waiter, deadline: now + Self.grace))
        }
        return rearm()
    }

    mutating func leave(_ waiter: Waiter) -> [Action] {
        waiting.removeAll { $0.waiter == waiter }
        return rearm()
    }

    mutating func changed(_ new: Standing, now: Duration) -> [Action] {
        guard new != standing else { return [] }
        standing = new
        switch new {
        case .on: return finish { .admit($0) }
        case .unusable: return finish { .refuse($0) }
        case .off: for place in waiting.indices { waiting[place].deadline = now + Self.grace }
        case .unknown: for place in waiting.indices { waiting[place].deadline = now + limit }
        }
        return rearm()
    }

    mutating func timerFired(now: Duration) -> [Action] {
        armed = nil
        let over = waiting.filter { $0.deadline <= now }
        waiting.removeAll { $0.deadline <= now }
        return over.map { .refuse($0.waiter) } + rearm()
    }

    private mutating func finish(_ action: (Waiter) -> Action) -> [Action] {
        let told = waiting
        waiting = []
        return told.map { action($0.waiter) } + rearm()
    }

    private mutating func rearm() -> [Action] {
        let next = waiting.map(\.deadline).min()
        guard next != armed else { return [] }
        armed = next
        return [.setTimer(next)]
    }
}
