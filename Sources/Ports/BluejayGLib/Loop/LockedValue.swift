internal import Synchronization

/// The latest state of a loop, which any thread may read.
///
/// The value may change between two reads, so related state belongs in one value.
package final class LockedValue<Value: Swift.Sendable>: Swift.Sendable {
    private let stored: Mutex<Value>

    package init(_ value: Value) {
        stored = Mutex(value)
    }

    package var value: Value {
        get { stored.withLock { $0 } }
        set {
            var held = newValue
            // The old value is released outside the lock: its deinit may call this object.
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
