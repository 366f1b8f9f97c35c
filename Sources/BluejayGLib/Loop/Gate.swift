internal import Foundation

/// What one thread waits for until another opens it, once.
// `isOpen` is reached under the lock of `condition` only: that is the invariant behind `@unchecked`.
final class Gate: @unchecked Swift.Sendable {
    private let condition = NSCondition()
    private var isOpen = false

    func open() {
        condition.lock()
        isOpen = true
        condition.broadcast()
        condition.unlock()
    }

    func wait() {
        condition.lock()
        while !isOpen { condition.wait() }
        condition.unlock()
    }

    /// Whether it was opened before the time was over.
    func wait(within limit: Duration) -> Bool {
        let seconds = Double(limit.components.seconds) + Double(limit.components.attoseconds) / 1e18
        let end = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while !isOpen { guard condition.wait(until: end) else { return isOpen } }
        return true
    }
}
