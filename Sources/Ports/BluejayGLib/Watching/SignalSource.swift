internal import CBluejay

/// Calls back on the context when the process gets a Unix signal, for example `SIGTERM`.
///
/// While it lives the signal does nothing else; afterwards it does again what it does to a program that
/// has no mind of its own. A program that is started keeps its own way with it.
@safe package final class SignalSource {
    private let source: OpaquePointer?
    private let context: RetainedContext

    /// Begins to take the signal.
    ///
    /// - Parameters:
    ///   - signal: SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2 or SIGWINCH.
    ///   - context: Where `received` runs.
    ///   - received: Called each time.
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
