internal import CBluejay
internal import Foundation

/// Threads whose names the kernel knows: Foundation names one that runs already only.
package enum NamedThread {
    /// Runs `work` on a thread of its own.
    ///
    /// - Parameters:
    ///   - name: What `ps -L`, `top` and debuggers show, the first 15 bytes of it.
    ///   - stackSize: In bytes; nil is the system's.
    ///   - work: What is done; the thread ends with it.
    package static func start(
        _ name: String,
        stackSize: Int? = nil,
        _ work: @escaping @Sendable () -> Void
    ) {
        let thread = Thread {
            unsafe bluejay_name_thread(name)
            work()
        }
        thread.name = name
        if let stackSize { thread.stackSize = stackSize }
        thread.start()
    }
}
