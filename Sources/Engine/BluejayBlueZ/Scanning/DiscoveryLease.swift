internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib

/// A scan of one caller; releasing it ends the scan.
package final class DiscoveryLease {
    let filter: DiscoveryFilter
    /// The services of `filter`, with which each report is compared.
    let services: Set<BluetoothUUID>?
    private let report: (DiscoveredDevice) -> Void
    private let connectionEnded: ((DiscoveredDevice) -> Void)?
    /// The last reports of the devices that were reported as connected and still are.
    private var connected: [ObjectPath: DiscoveredDevice] = [:]
    let failed: (BlueZFailure) -> Void
    let id: Int
    var onEnd: ((Int) -> Void)?
    /// Delivers the devices that are already present.
    var initialReportTimer: ScheduledTimer?

    init(
        _ id: Int,
        _ filter: DiscoveryFilter,
        report: @escaping (DiscoveredDevice) -> Void,
        connectionEnded: ((DiscoveredDevice) -> Void)?,
        failed: @escaping (BlueZFailure) -> Void
    ) {
        self.id = id
        self.filter = filter
        services = filter.services
        self.report = report
        self.connectionEnded = connectionEnded
        self.failed = failed
    }

    func deliver(_ report: DiscoveredDevice) {
        if report.isConnected, connectionEnded != nil { connected[report.path] = report }
        self.report(report)
    }

    /// Delivers the end of a connection, once and only for a device that was reported as connected.
    func endConnection(of path: ObjectPath) {
        guard var last = connected.removeValue(forKey: path) else { return }
        last.isConnected = false
        connectionEnded?(last)
    }

    deinit {
        onEnd?(id)
    }

    /// Ends the scan; no report follows.
    package func end() {
        let onEnd = onEnd
        self.onEnd = nil
        onEnd?(id)
    }
}
