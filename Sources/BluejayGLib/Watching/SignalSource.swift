internal import CBluejay

/// Calls back on the context when the process gets a Unix signal, for example `SIGTERM`.
///
/// While it lives the signal does nothing else. A program that is started keeps its own way with it.
package final class SignalSource {
    private let tag: UInt32
    private let context: MainContext

    /// Begins to take the signal.
    ///
    /// - Parameters:
    ///   - signal: SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2 or SIGWINCH.
    ///   - context: Where `received` runs.
    ///   - received: Called each time.
    package init(_ signal: Int32, on context: MainContext, received: @escaping () -> Void) {
        self.context = context
        let source = unsafe g_unix_signal_source_new(signal)
        let box = unsafe Unmanaged.passRetained(SignalBox(received)).toOpaque()
        unsafe g_source_set_callback(
            source,
            { data in
                if let data = unsafe data {
                    unsafe Unmanaged<SignalBox>.fromOpaque(data).takeUnretainedValue().received()
                }
                return 1
            },
            box,
            { data in
                if let data = unsafe data {
                    unsafe Unmanaged<SignalBox>.fromOpaque(data).release()
                }
            }
        )
        tag = unsafe g_source_attach(source, context.pointer)
        unsafe g_source_unref(source)
    }

    deinit {
        guard let source = unsafe g_main_context_find_source_by_id(context.pointer, tag) else {
            return
        }
        unsafe g_source_destroy(source)
    }
}

private final class SignalBox {
    let received: () -> Void
    init(_ received: @escaping () -> Void) { self.received = received }
}
