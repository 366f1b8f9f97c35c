internal import CBluejay

/// A lock with a condition variable.
///
/// It is the system's lock: the thread sanitizer sees no other and would report false races.
// Any thread may call the C functions: that invariant justifies `@unchecked`.
@safe final class ConditionLock: @unchecked Swift.Sendable {
    private let pointer: OpaquePointer

    init() {
        unsafe pointer = unsafe bluejay_lock_new()
    }

    deinit { unsafe bluejay_lock_free(pointer) }

    func withLock<Value>(_ body: () throws -> Value) rethrows -> Value {
        unsafe bluejay_lock_take(pointer)
        defer { unsafe bluejay_lock_give(pointer) }
        return try body()
    }

    /// Releases the lock until another thread signals; inside `withLock` only.
    ///
    /// It may return without a signal, so the caller must check its condition again.
    func wait() { unsafe bluejay_lock_wait(pointer) }

    /// Waits like `wait()`, up to an instant of the monotonic clock in microseconds.
    ///
    /// - Returns: False if the instant has passed.
    func wait(until deadline: Int64) -> Bool {
        unsafe bluejay_lock_wait_until(pointer, deadline) != 0
    }

    func signal() { unsafe bluejay_lock_signal(pointer) }

    func broadcast() { unsafe bluejay_lock_broadcast(pointer) }
}
