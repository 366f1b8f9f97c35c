internal import CBluejay

/// What one thread waits for until another opens it, once.
// `isOpen` is reached under the lock only: that is the invariant behind `@unchecked`.
final class OneShotEvent: @unchecked Swift.Sendable {
    private let lock = ConditionLock()
    private var isOpen = false

    func open() {
        lock.locked {
            isOpen = true
            lock.broadcast()
        }
    }

    func wait() {
        lock.locked {
            while !isOpen { lock.wait() }
        }
    }

    /// Whether it was opened before the time was over.
    func wait(within limit: Duration) -> Bool {
        let end = bluejay_monotonic_time() + Int64(limit / .microseconds(1))
        return lock.locked {
            while !isOpen { guard lock.wait(until: end) else { return isOpen } }
            return true
        }
    }
}
