internal import CBluejay

/// Threads whose names the kernel knows.
package enum NamedThread {
    /// Runs `work` on a thread of its own.
    ///
    /// - Parameters:
    ///   - name: What `ps -L`, `top` and debuggers show, the first 15 bytes of it.
    ///   - stackSize: In bytes; nil is the system's.
    ///   - isMarked: Whether `isMarked` is true on it.
    ///   - work: What is done; the thread ends with it.
    package static func start(
        _ name: String,
        stackSize: Int? = nil,
        isMarked: Bool = false,
        _ work: @escaping @Sendable () -> Void
    ) {
        let body = Body {
            unsafe bluejay_name_thread(name)
            if isMarked { bluejay_mark_thread() }
            work()
        }
        let error = unsafe bluejay_start_thread(
            stackSize ?? 0,
            { unsafe Unmanaged<Body>.fromOpaque($0).takeRetainedValue().work() },
            Unmanaged.passRetained(body).toOpaque()
        )
        // As when memory is exhausted: whoever waits for what the thread does would wait for ever.
        precondition(error == 0, "the system gave no thread: error \(error)")
    }

    /// Whether the calling thread was started with a mark.
    package static var isMarked: Bool { bluejay_is_thread_marked() != 0 }

    /// Whether the calling thread is the one that the process began with.
    static var isMain: Bool { bluejay_is_main_thread() != 0 }
}

private final class Body: Swift.Sendable {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
}
