internal import DequeModule

/// Delivers elements one by one, to a handler or to the tasks that wait for one.
///
/// Confined to the loop of the owner.
final class ElementDelivery<Element> {
    private var waiters: Deque<(id: Int, completion: (Element?) -> Void)> = []
    private var isDelivering = false

    var hasWaiters: Bool { !waiters.isEmpty }

    /// Calls each delivery that `next` returns, until it returns nil.
    ///
    /// `next` retains the owner weakly: if a callback releases the owner, the delivery ends. If a callback starts
    /// another delivery, the outer one continues with the next element.
    func run(_ next: () -> (() -> Void)?) {
        guard !isDelivering else { return }
        isDelivering = true
        while let deliver = next() { deliver() }
        isDelivering = false
    }

    func add(_ id: Int, _ completion: @escaping (Element?) -> Void) {
        waiters.append((id, completion))
    }

    /// Removes and returns the completion of the task that waits longest.
    func popWaiter() -> ((Element?) -> Void)? { waiters.popFirst()?.completion }

    func stopWaiting(_ id: Int) {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
        waiters.remove(at: index).completion(nil)
    }

    func finishWaiters() {
        while let waiter = waiters.popFirst() { waiter.completion(nil) }
    }
}
