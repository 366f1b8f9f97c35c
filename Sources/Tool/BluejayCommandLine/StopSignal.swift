import Dispatch
import Foundation

/// The end of an asynchronous demo: Ctrl-C, SIGTERM, a time limit or a call.
@MainActor
package final class StopSignal {
    private var isStopped = false
    private var waiter: CheckedContinuation<Void, Never>?
    private var sources: [any DispatchSourceSignal] = []
    /// Whether SIGTERM has ended it, with which systemd also begins a restart.
    package private(set) var wasTerminated = false

    /// Starts to handle signals.
    ///
    /// - Parameter seconds: The time limit, or `nil` for none.
    package init(after seconds: Double?) {
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler {
                MainActor.assumeIsolated { [weak self] in self?.received(number) }
            }
            source.resume()
            sources.append(source)
        }
        guard let seconds else { return }
        DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { [weak self] in
            MainActor.assumeIsolated { self?.stop() }
        }
    }

    // The cleanup may hang: a second signal ends the program at once.
    private func received(_ number: Int32) {
        guard !isStopped else { exit(EXIT_FAILURE) }
        wasTerminated = number == SIGTERM
        stop()
    }

    /// Ends the demo; repeated calls have no effect.
    package func stop() {
        guard !isStopped else { return }
        isStopped = true
        waiter?.resume()
        waiter = nil
    }

    package func wait() async {
        guard !isStopped else { return }
        await withCheckedContinuation { waiter = $0 }
    }
}
