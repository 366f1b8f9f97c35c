/// Decides how long a caller waits for Bluetooth.
///
/// An unknown state may last as long as the caller allows. An adapter that is off has one second to turn
/// on. In any other unusable state, the wait fails at once. Instants are arguments.
///
/// Invariant: the machine grants or fails each wait exactly once, unless the waiter cancels it.
struct BluetoothWaitStateMachine<Waiter: Hashable>: Equatable {
    enum Availability: Equatable {
        case unknown, on, off, unusable
    }

    enum Action: Equatable {
        case grant(Waiter)
        case fail(Waiter)
        /// Report `timerFired` at the instant; nil disarms the only timer.
        case setTimer(Duration?)
    }

    static var gracePeriod: Duration { .seconds(1) }

    private struct PendingWaiter: Equatable {
        let waiter: Waiter
        let timeout: Duration
        var deadline: Duration
    }

    private var availability = Availability.unknown
    private var pendingWaiters: [PendingWaiter] = []
    private var armed: Duration?

    init() {}

    /// A caller requests Bluetooth; `timeout` is its time for an unknown state.
    mutating func wait(
        _ waiter: Waiter,
        within timeout: Duration,
        now: Duration
    ) -> [Action] {
        let allowed: Duration
        switch availability {
        case .on: return [.grant(waiter)]
        case .unusable: return [.fail(waiter)]
        case .unknown: allowed = timeout
        case .off: allowed = Self.gracePeriod
        }
        pendingWaiters.append(
            PendingWaiter(waiter: waiter, timeout: timeout, deadline: now + allowed)
        )
        return rearm()
    }

    mutating func cancel(_ waiter: Waiter) -> [Action] {
        pendingWaiters.removeAll { $0.waiter == waiter }
        return rearm()
    }

    mutating func changed(_ new: Availability, now: Duration) -> [Action] {
        guard new != availability else { return [] }
        availability = new
        switch new {
        case .on: return finish { .grant($0) }
        case .unusable: return finish { .fail($0) }
        case .off:
            for index in pendingWaiters.indices {
                pendingWaiters[index].deadline = now + Self.gracePeriod
            }
        case .unknown:
            for index in pendingWaiters.indices {
                pendingWaiters[index].deadline = now + pendingWaiters[index].timeout
            }
        }
        return rearm()
    }

    mutating func timerFired(now: Duration) -> [Action] {
        armed = nil
        let expired = pendingWaiters.filter { $0.deadline <= now }
        pendingWaiters.removeAll { $0.deadline <= now }
        return expired.map { .fail($0.waiter) } + rearm()
    }

    private mutating func finish(_ action: (Waiter) -> Action) -> [Action] {
        let finished = pendingWaiters
        pendingWaiters = []
        return finished.map { action($0.waiter) } + rearm()
    }

    private mutating func rearm() -> [Action] {
        let next = pendingWaiters.map(\.deadline).min()
        guard next != armed else { return [] }
        armed = next
        return [.setTimer(next)]
    }
}
