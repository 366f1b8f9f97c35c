/// Decides when the central scans: windows of scanning, separated by pauses.
///
/// A pure value. Instants are arguments, on any clock that does not go backwards.
struct DutyCycleStateMachine: Equatable {
    enum Action: Equatable {
        /// Starts the scan, or replaces the filter of the running one.
        case startScan(reportsDuplicates: Bool)
        case endScan
        /// Sets the one timer, which calls `timerFired`; `nil` cancels it.
        case setTimer(Duration?)
    }

    private enum Phase: Equatable {
        /// Followed by `unavailable` or `scanning`.
        case stopped
        /// The scan is requested. Followed by `scanning` or `stopped`.
        case unavailable
        /// Followed by `pausing`, `retrying`, `unavailable` or `stopped`.
        case scanning(since: Duration)
        /// Followed by `scanning`, `unavailable` or `stopped`.
        case pausing(since: Duration)
        /// bluetoothd rejected or ended the scan. Followed like `pausing`.
        case retrying(since: Duration)
    }

    /// The pause after a rejected scan.
    static let retryDelay = Duration.seconds(1)
    /// The shortest window that `setCycle` results in.
    static let shortestWindow = Duration.seconds(1)

    private let backgroundPauseFactor: Int
    private var window: Duration
    private var pause: Duration
    private var isBackground = false
    private var isAvailable = false
    private var phase = Phase.stopped
    private var timer: Duration?

    /// Creates a machine; the settings are within their limits.
    init(_ settings: BLECentralManager.Settings) {
        window = settings.scanWindow
        pause = settings.scanPause
        backgroundPauseFactor = settings.backgroundPauseFactor
    }

    var isScanning: Bool {
        if case .scanning = phase { true } else { false }
    }

    mutating func start(now: Duration) -> [Action] {
        guard phase == .stopped else { return [] }
        guard isAvailable else {
            phase = .unavailable
            return []
        }
        return scan(since: now) + updateTimer()
    }

    mutating func stop() -> [Action] {
        changePhase(to: .stopped)
    }

    mutating func becameAvailable(now: Duration) -> [Action] {
        isAvailable = true
        return phase == .unavailable ? scan(since: now) + updateTimer() : []
    }

    mutating func becameUnavailable() -> [Action] {
        isAvailable = false
        return phase == .stopped ? [] : changePhase(to: .unavailable)
    }

    /// The scan that was started has ended by itself.
    mutating func scanFailed(now: Duration) -> [Action] {
        guard isScanning else { return [] }
        phase = .retrying(since: now)
        return [.endScan] + updateTimer()
    }

    mutating func setBackground(_ isBackground: Bool, now: Duration) -> [Action] {
        guard isBackground != self.isBackground else { return [] }
        self.isBackground = isBackground
        guard isScanning else { return advance(now) }
        return [.startScan(reportsDuplicates: !isBackground)] + advance(now)
    }

    /// Sets the length of a cycle.
    ///
    /// A quarter of it scans, at least 1 s. A cycle of 1 s or less has no pause.
    mutating func setCycle(_ cycle: Duration, now: Duration) -> [Action] {
        window = max(cycle / 4, Self.shortestWindow)
        pause = max(cycle - window, .zero)
        return advance(now)
    }

    mutating func timerFired(now: Duration) -> [Action] {
        timer = nil
        return advance(now)
    }

    // MARK: Phases

    private var currentPause: Duration {
        isBackground ? pause * backgroundPauseFactor : pause
    }

    private var deadline: Duration? {
        switch phase {
        case .stopped, .unavailable: nil
        case .scanning(let start): currentPause > .zero ? start + window : nil
        case .pausing(let start): start + currentPause
        case .retrying(let start): start + Self.retryDelay
        }
    }

    /// Starts the next phase if the present one has ended.
    private mutating func advance(_ now: Duration) -> [Action] {
        guard let deadline, deadline <= now else { return updateTimer() }
        // A phase starts at the deadline of the one before it, so that late timers do not add up. After a
        // suspension of the computer it starts now.
        let start = now - deadline < Self.shortestWindow ? deadline : now
        switch phase {
        case .stopped, .unavailable: return []
        case .scanning:
            phase = .pausing(since: start)
            return [.endScan] + updateTimer()
        case .pausing, .retrying: return scan(since: start) + updateTimer()
        }
    }

    private mutating func scan(since start: Duration) -> [Action] {
        phase = .scanning(since: start)
        return [.startScan(reportsDuplicates: !isBackground)]
    }

    private mutating func changePhase(to next: Phase) -> [Action] {
        let wasScanning = isScanning
        phase = next
        return (wasScanning ? [.endScan] : []) + updateTimer()
    }

    private mutating func updateTimer() -> [Action] {
        guard timer != deadline else { return [] }
        timer = deadline
        return [.setTimer(timer)]
    }
}
