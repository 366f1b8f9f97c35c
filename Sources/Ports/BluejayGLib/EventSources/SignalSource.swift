internal import CBluejay

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
