import Dispatch
import Foundation

/// The end of a subcommand: completion, a signal, a time limit, or a closed output.
@MainActor
final class ExitCondition {
    enum Reason {
        case completed
        /// The time limit has passed; the closure ends the command's stream after what it has received.
        case timedOut(finish: @MainActor () async -> Void)
        /// The reader has closed standard output.
        case closed
        case signal(Int32)
        case failed(any Error)
    }

    /// The condition of the subcommand that a shell runs.
    var command: ExitCondition?
    /// Whether SIGINT ends only the subcommand.
    var keepsInterrupts = false
    private var reason: Reason?
    /// The first error of standard output, which excludes the exit status 0.
    var outputFailure: ToolFailure?
    /// Whether only output is left to write, so that a signal ends the program immediately.
    var isDraining = false
    private var firstSignal: DispatchTime?
    private var waiter: CheckedContinuation<Void, Never>?
    private var sources: [any DispatchSourceSignal] = []

    /// Starts watching signals; a signal ignored by the parent, as with `nohup`, stays ignored.
    ///
    /// - Parameter watchesSignals: `false` for a condition that receives them from another.
    init(watchesSignals: Bool = true) {
        guard watchesSignals else { return }
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

    /// The set of signals that the parent process ignores, one bit each (proc(5), `SigIgn`).
    private static var ignoredSignals: UInt64 {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("SigIgn:") }
        return line.flatMap { UInt64($0.dropFirst(7).filter { !$0.isWhitespace }, radix: 16) } ?? 0
    }

    // Closing may hang, so a second signal ends the program immediately. A repetition within 300 ms counts as
    // the first signal: `timeout` and `sudo` forward signals that the terminal has sent to all processes.
    private func received(_ number: Int32) {
        if number == SIGINT, keepsInterrupts {
            command?.received(number)
            return
        }
        if isDraining { exit(128 + number) }
        let now = DispatchTime.now()
        if let firstSignal {
            if now >= firstSignal + .milliseconds(300) { exit(128 + number) }
        } else {
            firstSignal = now
        }
        end(.signal(number))
    }

    /// Ends the subcommand after a time; `nil` means never.
    func end(after seconds: Double?, _ finish: @escaping @MainActor () async -> Void) {
        guard let seconds else { return }
        DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { [weak self] in
            MainActor.assumeIsolated { self?.end(.timedOut(finish: finish)) }
        }
    }

    /// Ends the subcommand; only the first cause counts.
    func end(_ cause: Reason) {
        command?.end(cause)
        guard self.reason == nil else { return }
        self.reason = cause
        waiter?.resume()
        waiter = nil
    }

    func wait() async -> Reason {
        if reason == nil { await withCheckedContinuation { waiter = $0 } }
        return reason ?? .completed
    }
}
