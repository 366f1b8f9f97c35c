internal import Synchronization

/// State that any thread may read and the loop sets: what was set last.
///
/// Two reads may have a change between them: what belongs together is one value.
package final class Snapshot<Value: Swift.Sendable>: Swift.Sendable {
    private let stored: Mutex<Value>

    /// Holds a first value.
    package init(_ value: Value) {
        stored = Mutex(value)
    }

    /// The present value.
    package var value: Value {
        get { stored.withLock { $0 } }
        set {
            var held = newValue
            // The old value is released behind the lock: what it holds may come back here.
            stored.withLock { swap(&$0, &held) }
        }
    }
    /// Changes the value under its lock, which `change` must not use again.
    package func update<Result: Swift.Sendable>(
        _ change: (inout sending Value) -> sending Result
    ) -> Result {
        stored.withLock { change(&$0) }
    }
}
