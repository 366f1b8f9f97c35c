internal import DequeModule
internal import FoundationEssentials

/// Delivers the values of a characteristic to its subscribers, in the order of subscription.
///
/// bluetoothd signals a value that was read like a notified value, right before the reply to the read.
/// While a read or `StartNotify` is pending, values are therefore held until its reply.
final class ValueDispatcher {
    /// The maximum number of held values; beyond it, the oldest are dropped.
    static let heldLimit = 4096

    private struct Subscriber {
        let request: AttributeStateMachine.Request
        let receive: (Data) -> Void
        let droppedBefore: Int
        var isBegun = false
    }

    private var subscribers: [Subscriber] = []
    private var held: Deque<Data> = []
    private var pendingReads = 0
    private var isDelivering = false
    private var droppedCount = 0
    private var notedCount = 0

    func lostCount(of request: AttributeStateMachine.Request) -> Int {
        subscribers.first { $0.request == request }.map { droppedCount - $0.droppedBefore } ?? 0
    }

    func takeLoss() -> Int {
        defer { notedCount = droppedCount }
        return droppedCount - notedCount
    }

    var isEmpty: Bool { subscribers.isEmpty }

    func add(_ request: AttributeStateMachine.Request, _ receive: @escaping (Data) -> Void) {
        subscribers.append(
            Subscriber(request: request, receive: receive, droppedBefore: droppedCount)
        )
    }

    /// Starts delivery to a subscriber, including held values.
    func begin(_ request: AttributeStateMachine.Request) {
        guard let index = subscribers.firstIndex(where: { $0.request == request }) else { return }
        subscribers[index].isBegun = true
        deliver()
    }

    func remove(_ request: AttributeStateMachine.Request) {
        subscribers.removeAll { $0.request == request }
        if subscribers.isEmpty { held.removeAll() }
    }

    func receive(_ value: Data) {
        guard !subscribers.isEmpty else { return }
        if subscribers.count == 1, subscribers[0].isBegun, pendingReads == 0, held.isEmpty,
            !isDelivering
        {
            return subscribers[0].receive(value)
        }
        held.append(value)
        if held.count > Self.heldLimit {
            held.removeFirst()
            droppedCount += 1
        }
        deliver()
    }

    func readBegins() {
        pendingReads += 1
    }

    /// Ends a read.
    ///
    /// Of the values held meanwhile, the last one equal to `value` is the echo of the read; the others are
    /// notifications.
    func readEnded(_ value: Data?) {
        pendingReads -= 1
        if let value, let index = held.lastIndex(of: value) { held.remove(at: index) }
        deliver()
    }

    private var isHolding: Bool {
        pendingReads > 0 || !subscribers.contains { $0.isBegun }
    }

    // A receiver may end subscriptions, including its own, or start another hold.
    private func deliver() {
        guard !isDelivering else { return }
        isDelivering = true
        while !isHolding, let value = held.popFirst() {
            for request in subscribers.filter(\.isBegun).map(\.request) {
                subscribers.first { $0.request == request }?.receive(value)
            }
        }
        isDelivering = false
    }
}
