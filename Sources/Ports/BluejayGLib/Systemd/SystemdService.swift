internal import CBluejay
internal import Glibc

/// The messages of a service to systemd, as `sd_notify(3)` sends them, without libsystemd.
///
/// A unit with `Type=notify` counts as started once the program has sent ``State/ready``. With `WatchdogSec=`, systemd
/// restarts a service whose main loop is blocked:
///
/// ```swift
/// SystemdService.notify(.ready, .status("listening to 2 sensors"))
/// SystemdService.startWatchdog(on: bluejay.mainLoop)
/// ```
///
/// A program that systemd has not started, or that has another type of unit, sends nothing: both calls may stand in
/// every program. Any thread may call them.
public enum SystemdService {
    /// One message to systemd.
    public enum State: Hashable, Swift.Sendable {
        /// The service has started, or has reloaded its configuration.
        case ready
        /// The service reloads its configuration; ``ready`` ends the reload.
        case reloading
        /// The service has begun to stop.
        case stopping
        /// A line that `systemctl status` shows, at most 1,024 bytes of it; line breaks become spaces.
        case status(String)
        /// The service needs this much more time, counted from now, to start, reload or stop.
        case extendTimeout(by: Duration)
        /// The service is alive. ``startWatchdog(on:)`` sends this message regularly.
        case watchdog
    }

    /// The result of a message.
    public enum Delivery: Hashable, Swift.Sendable {
        /// systemd has the message.
        case sent
        /// The variable `NOTIFY_SOCKET` is not set: systemd expects no message of this process.
        case notExpected
        /// The socket refused the message, for the reason of the kernel: `No such file or directory`.
        case failed(reason: String)
    }

    /// Sends messages to systemd, in one datagram.
    ///
    /// Blocks for at most one second, and only if systemd reads nothing.
    ///
    /// - Parameter states: At least one message.
    /// - Returns: Whether systemd has them.
    @discardableResult
    public static func notify(_ states: State...) -> Delivery {
        send(states, to: variable("NOTIFY_SOCKET"))
    }

    /// Starts to report to systemd that the service is alive, from a main loop.
    ///
    /// A message is sent at once and in each half of the time of `WatchdogSec=`. They end when a callback blocks the loop,
    /// and systemd then restarts the service. A process reports one loop: a second call moves the reports to
    /// another loop.
    ///
    /// - Parameter loop: The loop of the services to watch, such as `bluejay.mainLoop`; it must run.
    /// - Returns: Whether systemd has a watchdog for this process: `WATCHDOG_USEC` is set, and `WATCHDOG_PID` names this
    ///   process or is missing.
    @discardableResult
    public static func startWatchdog(on loop: MainLoop) -> Bool {
        let limit = WatchdogPeriod.period(
            limit: variable("WATCHDOG_USEC"),
            process: variable("WATCHDOG_PID"),
            ownProcess: getpid()
        )
        guard let limit else { return false }
        let feed = WatchdogFeed(on: loop.context, every: limit) { notify(.watchdog) }
        let former = watchdog.update { current in
            let former = current
            current = feed
            return former
        }
        former?.stop()
        loop.perform { feed.start { MainContextClock(on: $0) } }
        return true
    }

    private static let watchdog = LockedValue<WatchdogFeed?>(nil)

    static func send(_ states: [State], to socket: String?) -> Delivery {
        guard let socket, !socket.isEmpty else { return .notExpected }
        let text = states.map(\.text).joined(separator: "\n")
        let number = unsafe bluejay_notify(socket, text, text.utf8.count)
        return number == 0 ? .sent : .failed(reason: unsafe String(cString: strerror(number)))
    }

    private static func variable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}

extension SystemdService.State {
    /// The assignments of `sd_notify(3)`.
    var text: String {
        switch self {
        case .ready: "READY=1"
        case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(bluejay_monotonic_time())"
        case .stopping: "STOPPING=1"
        case .status(let line): "STATUS=\(Self.printable(line))"
        case .extendTimeout(let duration): "EXTEND_TIMEOUT_USEC=\(Self.microseconds(duration))"
        case .watchdog: "WATCHDOG=1"
        }
    }

    // A line break would begin another assignment, and systemd ignores a message above 4,096 bytes.
    private static func printable(_ line: String) -> String {
        var text = ""
        var count = 0
        for scalar in line.unicodeScalars {
            let isControl = scalar.value < 0x20 || scalar.value == 0x7F
            let scalar: Unicode.Scalar = isControl ? " " : scalar
            count += UTF8.width(scalar)
            guard count <= 1024 else { break }
            text.unicodeScalars.append(scalar)
        }
        return text
    }

    private static func microseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        // A longer time is no limit for systemd either: 10,000 years.
        let bounded = min(max(-1, seconds), 315_569_520_000)
        return max(0, bounded * 1_000_000 + attoseconds / 1_000_000_000_000)
    }
}
