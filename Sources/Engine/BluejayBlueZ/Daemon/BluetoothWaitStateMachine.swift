/// Decides how long a caller waits for Bluetooth.
///
/// An unknown state may last as long as the caller allows. An adapter that is off has one second to turn
/// on. Any other unusable state refuses the caller at once. Instants are arguments.
///
/// Invariant: the machine admits or refuses each waiter exactly once, unless the waiter leaves.
struct BluetoothWaitStateMachine<Waiter: Hashable>: Equatable {
    enum Standing: Equatable {
        case unknown, on, off, unusable
    }

    enum Action: Equatable {
        case admit(Waiter)
        case refuse(Waiter)
        /// Report `timerFired` at the instant; nil disarms the only timer.
        case setTimer(Duration?)
    }

    static var grace: Duration { .seconds(1) }

    private struct Waiting: Equatable {
        let waiter: Waiter
        let limit: Duration
        var deadline: Duration
    }

    private var standing = Standing.unknown
    private var waiting: [Waiting] = []
    private var armed: Duration?

    init() {}

    /// A caller asks for Bluetooth; `limit` is its time for an unknown state.
    mutating func wait(
        _ waiter: Waiter,
        within limit: Duration,
        now: Duration
    ) -> [Action] {
        let allowed: Duration
        switch standing {
        case .on: return [.admit(waiter)]
        case .unusable: return [.refuse(waiter)]
        case .unknown: allowed = limit
        case .off: allowed = Self.grace
        }
        waiting.append(Waiting(waiter: waiter, limit: limit, deadline: now + allowed))
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
        case .off:
            for place in waiting.indices { waiting[place].deadline = now + Self.grace }
        case .unknown:
            for place in waiting.indices { waiting[place].deadline = now + waiting[place].limit }
        }
        return rearm()
    }

    mutating func timerFired(now: Duration) -> [Action] {
        armed = nil
        let expired = waiting.filter { $0.deadline <= now }
        waiting.removeAll { $0.deadline <= now }
        return expired.map { .refuse($0.waiter) } + rearm()
    }

    private mutating func finish(_ action: (Waiter) -> Action) -> [Action] {
        let finished = waiting
        waiting = []
        return finished.map { action($0.waiter) } + rearm()
    }

    private mutating func rearm() -> [Action] {
        let next = waiting.map(\.deadline).min()
        guard next != armed else { return [] }
        armed = next
        return [.setTimer(next)]
    }
}
