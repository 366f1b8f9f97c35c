import Dispatch
import Foundation

/// What ends a subcommand: that it is done, a signal, a time, or that nobody reads any more.
@MainActor
final class ExitCondition {
    enum Cause {
        /// The work is done, or as much of it as was asked for.
        case done
        /// The time is over.
        case timeIsOver
        /// Nobody reads the output any more.
        case closed
        case signal(Int32)
        case failed(any Error)
    }

    private var cause: Cause?
    /// Whether only output is left to write, so that a signal ends the program at once.
    var isDraining = false
    private var firstSignal: DispatchTime?
    private var waiter: CheckedContinuation<Void, Never>?
    private var sources: [any DispatchSourceSignal] = []

    /// Begins to look for signals; those that are ignored, as by `nohup`, stay ignored.
    init() {
        let ignored = Self.ignoredSignals
        for number in [SIGINT, SIGTERM, SIGHUP] where ignored & 1 << UInt64(number - 1) == 0 {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler {
                MainActor.assumeIsolated { [weak self] in self?.received(number) }
            }
            source.resume()
            sources.append(source)
        }
    }

    /// A bit for each signal that whoever has started the program wants ignored (proc(5), `SigIgn`).
    private static var ignoredSignals: UInt64 {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("SigIgn:") }
        return line.flatMap { UInt64($0.dropFirst(7).filter { !$0.isWhitespace }, radix: 16) } ?? 0
    }

    // What is being closed may hang: a second signal ends the program at once. One that follows in the same
    // moment is the first again: `timeout` and `sudo` pass on what the terminal has sent to all.
    private func received(_ number: Int32) {
        if isDraining { exit(128 + number) }
        let now = DispatchTime.now()
        if let firstSignal {
            if now >= firstSignal + .milliseconds(300) { exit(128 + number) }
        } else {
            firstSignal = now
        }
        end(.signal(number))
    }

    /// Ends it after a time; nil is never.
    func end(after seconds: Double?) {
        guard let seconds else { return }
        DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { [weak self] in
            MainActor.assumeIsolated { self?.end(.timeIsOver) }
        }
    }

    /// Ends it; the first cause stays.
    func end(_ cause: Cause) {
        guard self.cause == nil else { return }
        self.cause = cause
        waiter?.resume()
        waiter = nil
    }

    /// Waits for the end.
    func wait() async -> Cause {
        if cause == nil { await withCheckedContinuation { waiter = $0 } }
        return cause ?? .done
    }
}
