internal import BluejayGLib

/// Counts waiting writes without response, and decides whether more are welcome.
///
/// A write is never rejected or lost because of the count. Callers that check before each write keep the
/// count small. The gap between the two limits keeps them from being notified for every write.
struct WriteBacklog: Equatable {
    /// The count at which writes are no longer welcome.
    static let full = 64
    /// The count at which writes are welcome again.
    static let enough = 32

    private var count = 0
    /// Whether another write is welcome.
    private(set) var isReady = true

    mutating func began() {
        count += 1
        if count >= Self.full { isReady = false }
    }

    /// Counts a completed write, and returns true if writes are welcome again.
    mutating func ended() -> Bool {
        count -= 1
        guard !isReady, count <= Self.enough else { return false }
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
    private var flow = WriteBacklog()
    private var waiting: [Int: () -> Void] = [:]
    private var lastWaiting = 0
    private let snapshot = Snapshot(true)
    private let clock: any EventClock

    init(clock: any EventClock) {
        self.clock = clock
    }

    var isReady: Bool { flow.isReady }

    /// The value of `isReady`, for any thread.
    var wasReady: Bool { snapshot.value }

    func began() {
        let wasReady = flow.isReady
        flow.began()
        if flow.isReady != wasReady { snapshot.value = flow.isReady }
    }

    func ended() {
        guard flow.ended() else { return }
        snapshot.value = true
        onReady?()
    }

    /// Calls a closure once there is room, on a later iteration if there is room now; returns the number for
    /// `cancelWait`.
    func whenReady(_ ready: @escaping () -> Void) -> Int {
        lastWaiting += 1
        waiting[lastWaiting] = ready
        if isReady { clock.later { [weak self] in self?.resumeWaiters() } }
        return lastWaiting
    }

    func cancelWait(_ number: Int) { waiting[number] = nil }

    func resumeWaiters() {
        let ready = waiting.sorted { $0.key < $1.key }.map(\.value)
        waiting = [:]
        for ready in ready { ready() }
    }
}
