internal import CBluejay
internal import Glibc

/// Calls a closure on the context when the process receives a Unix signal, for example `SIGTERM`.
///
/// While this object exists, the signal has no other effect; afterwards its default effect is restored. Child
/// processes are not affected.
@safe package final class SignalSource {
    private let source: OpaquePointer?
    private let context: RetainedContext

    /// Starts handling the signal.
    ///
    /// - Parameters:
    ///   - signal: SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2 or SIGWINCH.
    ///   - context: The context on which `received` runs.
    ///   - received: Called for each signal.
    package init(_ signal: Int32, on context: MainContext, received: @escaping () -> Void) {
        self.context = unsafe RetainedContext(context.pointer)
        unsafe source = bluejay_signal_source_new(
            context.pointer,
            signal,
            { unsafe ClosureBox.from($0)?.work() },
            ClosureBox.retained(received),
            { unsafe ClosureBox.release($0) }
        )
    }

    deinit {
        if let source = unsafe source { unsafe bluejay_source_end(source) }
    }
}

/// A closure that C code holds until it releases it.
final class ClosureBox {
    let work: () -> Void

    private init(_ work: @escaping () -> Void) { self.work = work }

    /// Returns a pointer for `from`, valid until `release`.
    static func retained(_ work: @escaping () -> Void) -> UnsafeMutableRawPointer {
        unsafe Unmanaged.passRetained(ClosureBox(work)).toOpaque()
    }

    static func from(_ data: UnsafeMutableRawPointer?) -> ClosureBox? {
        unsafe data.map { unsafe Unmanaged<ClosureBox>.fromOpaque($0).takeUnretainedValue() }
    }

    static func release(_ data: UnsafeMutableRawPointer?) {
        if let data = unsafe data { unsafe Unmanaged<ClosureBox>.fromOpaque(data).release() }
    }
}
