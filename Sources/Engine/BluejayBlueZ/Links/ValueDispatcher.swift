internal import DequeModule
internal import FoundationEssentials

/// The way of a characteristic's values to those who subscribed, in the order in which they did.
///
/// bluetoothd signals a value that was read just like one that was sent, right before the answer to the
/// read. So values are held while a read is pending, and while `StartNotify` is: they follow its answer.
final class ValueDispatcher {
    /// How many values are held at most; then the oldest go.
    static let heldLimit = 4096

    private struct Subscriber {
        let request: AttributeStateMachine.Request
        let receive: (Data) -> Void
        /// How many values had gone before it subscribed.
        let droppedBefore: Int
        var isBegun = false
    }

    private var subscribers: [Subscriber] = []
    private var held: Deque<Data> = []
    private var pendingReads = 0
    private var isDelivering = false
    private var droppedCount = 0
    private var notedCount = 0

    /// How many values a subscription has not got because too many were held.
    func lostCount(of request: AttributeStateMachine.Request) -> Int {
        subscribers.first { $0.request == request }.map { droppedCount - $0.droppedBefore } ?? 0
    }

    /// How many values have gone since this was asked last.
    func takeLoss() -> Int {
        defer { notedCount = droppedCount }
        return droppedCount - notedCount
    }

    /// Whether nobody waits for values.
    var isEmpty: Bool { subscribers.isEmpty }

    func add(_ request: AttributeStateMachine.Request, _ receive: @escaping (Data) -> Void) {
        subscribers.append(
            Subscriber(request: request, receive: receive, droppedBefore: droppedCount)
        )
    }

    /// The set-up has completed: what is held goes to it as well.
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

    /// A read has ended; of the values that came meanwhile the last equal one is its echo, the others
    /// are notifications.
    func readEnded(_ value: Data?) {
        pendingReads -= 1
        if let value, let index = held.lastIndex(of: value) { held.remove(at: index) }
        deliver()
    }

    private var isHolding: Bool {
        pendingReads > 0 || !subscribers.contains { $0.isBegun }
    }

    // What a receiver does may end subscriptions, its own too, or hold values back.
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
