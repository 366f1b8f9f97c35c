import Dispatch
import Foundation

/// What ends an asynchronous demo: Ctrl-C, SIGTERM, a time, or a word.
@MainActor
package final class Ends {
    private var isOver = false
    private var waiter: CheckedContinuation<Void, Never>?
    private var sources: [any DispatchSourceSignal] = []
    /// Whether SIGTERM has ended it, with which systemd also begins a restart.
    package private(set) var wasTerminated = false

    /// Begins to look for signals.
    ///
    /// - Parameter seconds: After how long it ends by itself; nil is never.
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
        Task { [weak self] in
            try? await Task.sleep(for: .seconds(seconds))
            self?.end()
        }
    }

    // What is being closed may hang: a second signal ends the program at once.
    private func received(_ number: Int32) {
        guard !isOver else { exit(EXIT_FAILURE) }
        wasTerminated = number == SIGTERM
        end()
    }

    /// Ends it; what is over stays over.
    package func end() {
        guard !isOver else { return }
        isOver = true
        waiter?.resume()
        waiter = nil
    }

    /// Waits for the end.
    package func wait() async {
        guard !isOver else { return }
        await withCheckedContinuation { waiter = $0 }
    }
}
