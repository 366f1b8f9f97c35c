internal import CBluejay
internal import Glibc

/// Ends a loop at the first signal, closing its resources; the second signal has its default effect.
final class TerminationSignals {
    private var sources: [SignalSource] = []

    /// Starts handling the signals, except those that the program handles or ignores.
    init(_ signals: Set<Int32>, of context: MainContext) {
        // GLib cannot handle other signals.
        let possible = signals.intersection([SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2])
        for signal in possible.sorted() where bluejay_signal_is_default(signal) != 0 {
            sources.append(
                SignalSource(signal, on: context) { [weak self] in
                    self?.sources = []
                    context.shutDown()
                }
            )
        }
    }

    func cancel() {
        sources = []
    }
}
