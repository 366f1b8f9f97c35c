internal import CBluejay

/// An event that one thread signals once and another waits for.
// `isSignaled` is used under the lock only: that invariant justifies `@unchecked`.
final class OneShotEvent: @unchecked Swift.Sendable {
    private let lock = ConditionLock()
    private var isSignaled = false

    func signal() {
        lock.withLock {
            isSignaled = true
            lock.broadcast()
        }
    }

    func wait() {
        lock.withLock {
            while !isSignaled { lock.wait() }
        }
    }

    /// Waits for the event; returns false if the time passes first.
    func wait(within timeout: Duration) -> Bool {
        let deadline = bluejay_monotonic_time() + Int64(timeout / .microseconds(1))
        return lock.withLock {
            while !isSignaled { guard lock.wait(until: deadline) else { return isSignaled } }
            return true
        }
    }
}
