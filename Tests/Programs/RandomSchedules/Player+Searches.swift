import Bluejay

/// Concurrent scans, and connections to the first match.
extension Player {
    func scanConcurrently(_ scan: Scan, _ bluejay: Bluejay) {
        let what = "\(name) scan beside the queue"
        let number = ledger.start("beside scan", what, isBounded: scan.duration != nil)
        let handler = scanHandler(of: number, "scan beside", scan)
        bluejay.scan(
            matching: .anyService([service]) && .namePrefix(""),
            duration: scan.duration.map { Double($0) / 1_000 } ?? 0,
            allowDuplicates: scan.allowsDuplicates,
            besideQueue: true
        ) { discovery in
            handler(discovery, "discovery")
        } expired: { discovery in
            handler(discovery, "expiry")
        } stopped: { [self] error in
            completed(number, error.map { "\($0)" } ?? "no error")
        }
    }

    func watch(_ scan: Scan, _ bluejay: Bluejay) {
        let number = ledger.start("watch", "\(name) watch", isBounded: false)
        let handler = scanHandler(of: number, "watch", scan)
        bluejay.watch(for: .anyService([service]), lostAfter: 1) { event in
            switch event {
            case .started: .continue
            case .found(let discovery): handler(discovery, "found")
            case .changed: .continue
            case .lost(let discovery): handler(discovery, "lost")
            }
        } stopped: { [self] error in
            completed(number, error.map { "\($0)" } ?? "no error")
        }
    }

    func connectToFirst(_ limit: Int?, _ bluejay: Bluejay) {
        let what = "\(name) connect to the first" + (limit.map { " within \($0)" } ?? "")
        let number = ledger.start("connect", what, isBounded: limit != nil)
        bluejay.connect(toFirst: .anyService([service]), within: timeout(limit)) { [self] result in
            completed(number, result.text)
        }
    }

    private var service: ServiceIdentifier { ServiceIdentifier(uuid: "180D") }

    /// Notes the reports of a scan, and answers the last one.
    private func scanHandler(
        of number: Int,
        _ kind: String,
        _ scan: Scan
    ) -> (ScanDiscovery, String) -> ScanAction {
        var count = 0
        return { [self] discovery, what in
            count += 1
            ledger.record("\(name) \(kind) \(what) \(count)")
            if ledger.hasEnded(number) { ledger.violate("\(kind): \(what) after stopped", name) }
            return count == scan.discoveries ? reply(scan.answer, discovery) : .continue
        }
    }
}
