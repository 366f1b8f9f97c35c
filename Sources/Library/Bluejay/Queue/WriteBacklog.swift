internal import BluejayGLib

/// How many writes without response wait, and so whether more are welcome.
///
/// None is ever refused or lost for their number. Who asks before each write keeps the number small; who
/// was told to wait hears when there is room again, with some to spare so that it does not happen for
/// every write.
struct WriteBacklog: Equatable {
    /// With so many no more are welcome.
    static let full = 64
    /// With so few there is room again.
    static let enough = 32

    private var count = 0
    /// Whether another one is welcome.
    private(set) var isReady = true

    /// One was taken in.
    mutating func began() {
        count += 1
        if count >= Self.full { isReady = false }
    }

    /// One has ended; true when there is room again.
    mutating func ended() -> Bool {
        count -= 1
        guard !isReady, count <= Self.enough else { return false }
        isReady = true
        return true
    }
}

/// Counts the writes without response of one instance, and holds the callers that wait for room.
final class WriteFlowControl {
    /// Whether writes without response may go through a socket.
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

    /// Calls once when there is room; in a later iteration of the loop if there is room now.
    ///
    /// - Returns: The number for `cancelWait`.
    func whenReady(_ ready: @escaping () -> Void) -> Int {
        lastWaiting += 1
        waiting[lastWaiting] = ready
        if isReady { clock.later { [weak self] in self?.resumeWaiters() } }
        return lastWaiting
    }

    func cancelWait(_ number: Int) { waiting[number] = nil }

    /// Calls all that wait, in their order.
    func resumeWaiters() {
        let ready = waiting.sorted { $0.key < $1.key }.map(\.value)
        waiting = [:]
        for ready in ready { ready() }
    }
}
