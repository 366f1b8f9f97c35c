internal import CBluejay
internal import Glibc

/// The signals that end the program, except those that it handles or ignores.
///
/// The first one has no effect but a call. From 300 ms later on they have their default effect: until then, a
/// repetition is the same signal, which `timeout` and `sudo` forward and the terminal sends as well.
///
/// Confined to the context, except for its creation and release.
final class TerminationSignals {
    private static let repetitionTime = Duration.milliseconds(300)

    private var sources: [SignalSource] = []
    private var timer: ScheduledTimer?

    /// Starts handling the signals.
    ///
    /// - Parameters:
    ///   - signals: Any signals; GLib cannot handle all of them.
    ///   - context: The context of the call.
    ///   - received: Called once, with the first signal.
    init(
        _ signals: Set<Int32>,
        of context: MainContext,
        received: @escaping (Int32) -> Void
    ) {
        let possible = signals.intersection([SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2])
        for signal in possible.sorted() where bluejay_signal_is_default(signal) != 0 {
            sources.append(
                SignalSource(signal, on: context) { [weak self] in
                    guard let self, timer == nil else { return }
                    timer = MainContextClock(on: context).schedule(after: Self.repetitionTime) {
                        [weak self] in self?.sources = []
                    }
                    received(signal)
                }
            )
        }
    }
}
