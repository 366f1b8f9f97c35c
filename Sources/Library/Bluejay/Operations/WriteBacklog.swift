internal import BluejayGLib

/// Counts waiting writes without response, and decides whether more are welcome.
///
/// A write is never rejected or lost because of the count. Callers that check before each write keep the
/// count small. The gap between the two limits keeps them from being notified for every write.
struct WriteBacklog: Equatable {
    /// The count at which writes are no longer welcome.
    static let highWaterMark = 64
    /// The count at which writes are welcome again.
    static let lowWaterMark = 32

    private var count = 0
    /// Whether another write is welcome.
    private(set) var isReady = true

    mutating func writeQueued() {
        count += 1
        if count >= Self.highWaterMark { isReady = false }
    }

    /// Counts a completed write, and returns true if writes are welcome again.
    mutating func writeCompleted() -> Bool {
        count -= 1
        guard !isReady, count <= Self.lowWaterMark else { return false }
        isReady = true
        return true
    }
}

/// Counts the writes without response of one instance, and holds callers that wait for room.
final class WriteFlowControl {
    /// Whether writes without response may use a socket.
    var usesSockets = true
    /// Called when there is room again.
    var onReady: (() -> Void)?
    private var backlog = WriteBacklog()
    private var waiters: [Int: () -> Void] = [:]
    private var lastWaiterID = 0
    private let snapshot = LockedValue(true)
    private let clock: any EventClock

    init(clock: any EventClock) {
        self.clock = clock
    }

    var isReady: Bool { backlog.isReady }

    /// The value of `isReady`, for any thread.
    var publishedIsReady: Bool { snapshot.value }

    func writeQueued() {
        let wasReady = backlog.isReady
        backlog.writeQueued()
        if backlog.isReady != wasReady { snapshot.value = backlog.isReady }
    }

    func writeCompleted() {
        guard backlog.writeCompleted() else { return }
        snapshot.value = true
        onReady?()
    }

    /// Calls a closure once there is room, on a later iteration if there is room now; returns the ID for
    /// `cancelWait`.
    func whenReady(_ completion: @escaping () -> Void) -> Int {
        lastWaiterID += 1
        waiters[lastWaiterID] = completion
        if isReady { clock.onNextIteration { [weak self] in self?.resumeWaiters() } }
        return lastWaiterID
    }

    func cancelWait(_ id: Int) { waiters[id] = nil }

    func resumeWaiters() {
        let completions = waiters.sorted { $0.key < $1.key }.map(\.value)
        waiters = [:]
        for completion in completions { completion() }
    }
}
