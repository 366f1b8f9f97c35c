internal import CBluejay
internal import Glibc

/// Ends a loop at the first signal, with everything closed; the next one does what it does by default.
final class TerminationSignals {
    private var sources: [SignalSource] = []

    /// A signal for which the program has a mind of its own, or that it ignores, is left to it.
    init(_ signals: Set<Int32>, of context: MainContext) {
        // The others cannot be taken by GLib, or not by anybody.
        let possible = signals.intersection([SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2])
        for signal in possible.sorted() where bluejay_signal_is_default(signal) != 0 {
            sources.append(
                SignalSource(signal, on: context) { [weak self] in
                    self?.sources = []
                    context.end()
                }
            )
        }
    }

    /// Leaves the signals to the program again.
    func cancel() {
        sources = []
    }
}
