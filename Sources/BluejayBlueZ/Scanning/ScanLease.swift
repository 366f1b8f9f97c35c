internal import BluejayCore
internal import BluejayGLib

/// Somebody's wish to scan; releasing it ends the wish.
package final class ScanLease {
    let wish: ScanWish
    /// Those of the wish, which each report is held against.
    let services: Set<BluetoothUUID>?
    let report: (ScanReport) -> Void
    let failed: (BlueZFailure) -> Void
    let number: Int
    var onEnd: ((Int) -> Void)?
    /// Tells what is there already.
    var opening: ScheduledTimer?

    init(
        _ number: Int,
        _ wish: ScanWish,
        report: @escaping (ScanReport) -> Void,
        failed: @escaping (BlueZFailure) -> Void
    ) {
        self.number = number
        self.wish = wish
        services = wish.services
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
