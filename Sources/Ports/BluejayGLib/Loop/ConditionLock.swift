internal import CBluejay

/// A lock, and what is waited for under it.
///
/// Of the system, since a thread sanitizer sees no other one, and whoever builds a program for it would be
/// told of races.
// The C functions may be called on any thread: the invariant behind `@unchecked`.
@safe final class ConditionLock: @unchecked Swift.Sendable {
    private let pointer: OpaquePointer

    init() {
        unsafe pointer = unsafe bluejay_lock_new()
    }

    deinit { unsafe bluejay_lock_free(pointer) }

    /// Does it while no other thread is in here.
    func locked<Value>(_ body: () throws -> Value) rethrows -> Value {
        unsafe bluejay_lock_take(pointer)
        defer { unsafe bluejay_lock_give(pointer) }
        return try body()
    }

    /// Lets others in until one of them signals; inside `locked` only.
    ///
    /// It may end without a signal: whoever waits looks again.
    func wait() { unsafe bluejay_lock_wait(pointer) }

    /// The same until that time of the monotonic clock at most, in microseconds.
    ///
    /// - Returns: False when the time is over.
    func wait(until end: Int64) -> Bool { unsafe bluejay_lock_wait_until(pointer, end) != 0 }

    /// Wakes one that waits.
    func signal() { unsafe bluejay_lock_signal(pointer) }

    /// Wakes all that wait.
    func broadcast() { unsafe bluejay_lock_broadcast(pointer) }
}
