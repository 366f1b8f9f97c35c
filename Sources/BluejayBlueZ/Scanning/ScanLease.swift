internal import BluejayCore
internal import BluejayGLib

/// Somebody's wish to scan; releasing it ends the wish.
package final class ScanLease {
    let services: Set<BluetoothUUID>?
    let reportsDuplicates: Bool
    let report: (ScanReport) -> Void
    let failed: (BlueZFailure) -> Void
    let number: Int
    var onEnd: ((Int) -> Void)?
    /// Tells what is there already.
    var opening: ScheduledTimer?

    init(
        _ number: Int,
        services: Set<BluetoothUUID>?,
        reportsDuplicates: Bool,
        report: @escaping (ScanReport) -> Void,
        failed: @escaping (BlueZFailure) -> Void
    ) {
        self.number = number
        self.services = services
        self.reportsDuplicates = reportsDuplicates
        self.report = report
        self.failed = failed
    }

    deinit {
        onEnd?(number)
    }

    /// Ends the wish; nothing is reported afterwards.
    package func end() {
        let onEnd = onEnd
        self.onEnd = nil
        onEnd?(number)
    }
}
