internal import DequeModule
internal import FoundationEssentials

/// Delivers the values of a characteristic to its subscribers, in the order of subscription.
///
/// bluetoothd signals a value that was read like a notified value, right before the reply to the read.
/// While a read or `StartNotify` is pending, values are therefore held until its reply.
final class ValueDispatcher {
    /// The maximum number of held values; beyond it, the oldest are dropped.
    static let bufferCapacity = 4096

    private struct Subscriber {
        let request: AttributeStateMachine.RequestID
        let receive: (Data) -> Void
        let droppedBefore: Int
        var hasStarted = false
    }

    private var subscribers: [Subscriber] = []
    private var buffer: Deque<Data> = []
    private var pendingReads = 0
    private var isDelivering = false
    private var totalDroppedCount = 0
    private var drainedDroppedCount = 0

    func droppedCount(of request: AttributeStateMachine.RequestID) -> Int {
        subscribers.first { $0.request == request }.map { totalDroppedCount - $0.droppedBefore }
            ?? 0
    }

    func drainDroppedCount() -> Int {
        defer { drainedDroppedCount = totalDroppedCount }
        return totalDroppedCount - drainedDroppedCount
    }

    var isEmpty: Bool { subscribers.isEmpty }

    func add(_ request: AttributeStateMachine.RequestID, _ receive: @escaping (Data) -> Void) {
        subscribers.append(
            Subscriber(request: request, receive: receive, droppedBefore: totalDroppedCount)
        )
    }

    /// Starts delivery to a subscriber, including held values.
    func start(_ request: AttributeStateMachine.RequestID) {
        guard let index = subscribers.firstIndex(where: { $0.request == request }) else { return }
        subscribers[index].hasStarted = true
        deliver()
    }

    func remove(_ request: AttributeStateMachine.RequestID) {
        subscribers.removeAll { $0.request == request }
        if subscribers.isEmpty { buffer.removeAll() }
    }

    func receive(_ value: Data) {
        guard !subscribers.isEmpty else { return }
        if subscribers.count == 1, subscribers[0].hasStarted, pendingReads == 0, buffer.isEmpty,
            !isDelivering
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

    /// Ends a read.
    ///
    /// Of the values held meanwhile, the last one equal to `value` is the echo of the read; the others are
    /// notifications.
    func readEnded(_ value: Data?) {
        pendingReads -= 1
        if let value, let index = buffer.lastIndex(of: value) { buffer.remove(at: index) }
        deliver()
    }

    private var isBuffering: Bool {
        pendingReads > 0 || !subscribers.contains { $0.hasStarted }
    }

    // A receiver may end subscriptions, including its own, or start another read.
    private func deliver() {
        guard !isDelivering else { return }
        isDelivering = true
        while !isBuffering, let value = buffer.popFirst() {
            for request in subscribers.filter(\.hasStarted).map(\.request) {
                subscribers.first { $0.request == request }?.receive(value)
            }
        }
        isDelivering = false
    }
}
