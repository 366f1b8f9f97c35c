internal import BluejayBlueZ

/// The reports of connected peripherals, held back at the start of a scan.
///
/// Another program may use a connected peripheral, and most programs choose the first peripheral that a scan
/// reports. Advertising peripherals therefore take precedence.
struct ConnectedDeviceDelay {
    /// The report that remains when a peripheral is reported repeatedly.
    enum KeptReport {
        /// The first report, at its place.
        case first
        /// The newest report, after the reports of other peripherals.
        case newest
    }

    private let kept: KeptReport
    private var reports: [DiscoveredDevice] = []
    private var hasEnded = false

    init(keeping kept: KeptReport) {
        self.kept = kept
    }

    /// Returns the length of the delay in a scan of `duration`; `nil` means no limit.
    static func length(inScanOf duration: Duration?) -> Duration {
        min(.seconds(1), (duration ?? .seconds(60)) / 2)
    }

    /// Holds back a report of a connected peripheral; any other report replaces the one held back.
    ///
    /// - Returns: Whether the report is held back. After the end of the delay, no report is.
    mutating func add(_ report: DiscoveredDevice) -> Bool {
        let isHeldBack = report.isConnected && !hasEnded
        if isHeldBack, kept == .first, reports.contains(where: { $0.path == report.path }) {
            return true
        }
        remove(report)
        if isHeldBack { reports.append(report) }
        return isHeldBack
    }

    /// Discards the report of a peripheral that has disconnected.
    mutating func remove(_ report: DiscoveredDevice) {
        reports.removeAll { $0.path == report.path }
    }

    /// Ends the delay, and returns the reports held back, because no advertising peripheral was chosen.
    mutating func end() -> [DiscoveredDevice] {
        hasEnded = true
        defer { reports = [] }
        return reports
    }
}
