internal import BluejayGLib
internal import DequeModule
internal import FoundationEssentials

/// Delivers the values of a characteristic to its subscribers, in the order of subscription.
///
/// bluetoothd signals a value that was read like a notified value, right before the reply to the read.
/// While a read or `StartNotify` is pending, values are therefore held until its reply. If the caller of the
/// read stops waiting before, a value is held only as long as the reply may follow it.
final class ValueDispatcher {
    /// The longest time from the signal of a value that was read to the reply.
    private static let echoTime = Duration.milliseconds(50)
    /// The maximum number of held values; beyond it, the oldest are dropped.
    static let bufferCapacity = 4096

    private struct Subscriber {
        let id: Int
        let receive: (Data) -> Void
        let droppedBefore: Int
        var hasStarted = false
    }

    private var subscribers: [Subscriber] = []
    private var buffer: Deque<Data> = []
    private var pendingReads = 0
    /// The pending reads whose callers no longer wait.
    private var abandonedReads = 0
    /// Runs while the reply to an abandoned read may follow the held values.
    private var holdTimer: ScheduledTimer?
    private var clock: (any EventClock)?
    private var isDelivering = false
    private var totalDroppedCount = 0
    private var drainedDroppedCount = 0

    func droppedCount(of subscriber: Int) -> Int {
        subscribers.first { $0.id == subscriber }.map { totalDroppedCount - $0.droppedBefore }
            ?? 0
    }

    func drainDroppedCount() -> Int {
        defer { drainedDroppedCount = totalDroppedCount }
        return totalDroppedCount - drainedDroppedCount
    }

    var isEmpty: Bool { subscribers.isEmpty }

    /// Adds a subscriber, whose number the caller chooses.
    func add(_ subscriber: Int, _ receive: @escaping (Data) -> Void) {
        subscribers.append(
            Subscriber(id: subscriber, receive: receive, droppedBefore: totalDroppedCount)
        )
    }

    /// Starts delivery to a subscriber, including held values.
    func start(_ subscriber: Int) {
        guard let index = subscribers.firstIndex(where: { $0.id == subscriber }) else { return }
        subscribers[index].hasStarted = true
        deliver()
    }

    func remove(_ subscriber: Int) {
        subscribers.removeAll { $0.id == subscriber }
        if subscribers.isEmpty { buffer.removeAll() }
    }

    func receive(_ value: Data) {
        guard !subscribers.isEmpty else { return }
        if abandonedReads > 0, holdTimer == nil {
            holdTimer = clock?.schedule(after: Self.echoTime) { [weak self] in
                self?.holdTimer = nil
                self?.deliver()
            }
        }
        if subscribers.count == 1, subscribers[0].hasStarted, pendingReads == 0, holdTimer == nil,
            buffer.isEmpty, !isDelivering
        {
            return subscribers[0].receive(value)
        }
        buffer.append(value)
        if buffer.count > Self.bufferCapacity {
            buffer.removeFirst()
            totalDroppedCount += 1
        }
        deliver()
    }

    func readStarted() {
        pendingReads += 1
    }

    /// The caller of a read no longer waits; `readEnded` follows all the same.
    func readAbandoned(_ clock: any EventClock) {
        self.clock = clock
        pendingReads -= 1
        abandonedReads += 1
        deliver()
    }

    /// Ends a read.
    ///
    /// Of the values held meanwhile, the last one equal to `value` is the echo of the read; the others are
    /// notifications.
    func readEnded(_ value: Data?, isAbandoned: Bool = false) {
        if isAbandoned {
            abandonedReads -= 1
            holdTimer = nil
        } else {
            pendingReads -= 1
        }
        if let value, let index = buffer.lastIndex(of: value) { buffer.remove(at: index) }
        deliver()
    }

    private var isBuffering: Bool {
        pendingReads > 0 || holdTimer != nil || !subscribers.contains { $0.hasStarted }
    }

    // A receiver may end subscriptions, including its own, or start another read.
    private func deliver() {
        guard !isDelivering else { return }
        isDelivering = true
        while !isBuffering, let value = buffer.popFirst() {
            for id in subscribers.filter(\.hasStarted).map(\.id) {
                subscribers.first { $0.id == id }?.receive(value)
            }
        }
        isDelivering = false
    }
}
