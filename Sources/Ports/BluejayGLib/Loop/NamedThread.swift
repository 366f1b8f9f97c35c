internal import CBluejay

/// Threads with names that the kernel knows.
package enum NamedThread {
    /// Runs `work` on a new thread.
    ///
    /// - Parameters:
    ///   - name: The name of the thread, of which `ps -L`, `top` and debuggers show the first 15 bytes.
    ///   - stackSize: The stack size in bytes; nil is the system's default.
    ///   - isMarked: The value of `isMarked` on the thread.
    ///   - work: The closure to run; the thread ends with it.
    package static func start(
        _ name: String,
        stackSize: Int? = nil,
        isMarked: Bool = false,
        _ work: @escaping @Sendable () -> Void
    ) {
        let body = ThreadBody {
            unsafe bluejay_name_thread(name)
            if isMarked { bluejay_mark_thread() }
            work()
        }
        let error = unsafe bluejay_start_thread(
            stackSize ?? 0,
            { unsafe Unmanaged<ThreadBody>.fromOpaque($0).takeRetainedValue().work() },
            Unmanaged.passRetained(body).toOpaque()
        )
        // This occurs when memory is exhausted; callers waiting for the thread would otherwise block
        // forever.
        precondition(error == 0, "the system gave no thread: error \(error)")
    }

    /// Whether the calling thread was started with `isMarked`.
    package static var isMarked: Bool { bluejay_is_thread_marked() != 0 }

    static var isMain: Bool { bluejay_is_main_thread() != 0 }
}

private final class ThreadBody: Swift.Sendable {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
}
