public import FoundationEssentials

/// Scanning for what fits a filter, in the queue or beside it.
extension Bluejay {
    /// Scans for what fits a filter until it is stopped.
    ///
    /// As the form with `serviceIdentifiers`, but for what is told. What fits no more is not told any
    /// more: with duplicates it expires as if it were silent. A peripheral that this machine is connected
    /// to is told whatever the filter is made of, unless that is ``ScanFilter/everything``.
    ///
    /// Beside the queue a scan begins at once, or when Bluetooth is there, and holds nothing up: the
    /// connected peripheral is read and written meanwhile, more slowly with some controllers. Any number
    /// of them may run. A `connect` and the end of a connection do not end them; an answer
    /// `.connect` does, and joins the queue then.
    ///
    /// - Parameters:
    ///   - filter: What is to be told.
    ///   - duration: In seconds, from the scan's begin; 0 is without limit.
    ///   - allowDuplicates: Whether every advertisement is told, rather than each peripheral once.
    ///   - throttleRSSIDelta: With duplicates, changes of the signal strength below it are not told; in
    ///     dB, 0 tells all.
    ///   - besideQueue: Whether it stays out of the queue.
    ///   - discovery: Called for each discovery with all so far; its answer says how to go on. Never
    ///     called after `stopped`.
    ///   - expired: With duplicates, called for a peripheral that was silent for 15 s, with those that
    ///     remain; its answer counts as that of `discovery`.
    ///   - stopped: Called once with the final list. The error is as in the form with
    ///     `serviceIdentifiers`, or ``BluejayError/malformedAddress(_:)``; beside the queue there is no
    ///     ``BluejayError/multipleScanNotSupported``.
    /// - Note: `org.bluez.Adapter1.SetDiscoveryFilter` gets the signal strength; the rest is
    ///   looked at here.
    public func scan(
        matching filter: ScanFilter,
        duration: TimeInterval = 0,
        allowDuplicates: Bool = false,
        throttleRSSIDelta: Int = 5,
        besideQueue: Bool = false,
        discovery: @escaping (ScanDiscovery, [ScanDiscovery]) -> ScanAction,
        expired: ((ScanDiscovery, [ScanDiscovery]) -> ScanAction)? = nil,
        stopped: @escaping ([ScanDiscovery], (any Error)?) -> Void
    ) {
        let request = ScanRequest(
            duration: duration,
            allowsDuplicates: allowDuplicates,
            throttle: throttleRSSIDelta,
            filter: filter,
            isBesideQueue: besideQueue
        )
        scan(
            request,
            ListScanReporter(discovery: discovery, expired: expired, stopped: stopped)
        )
    }

    /// Scans for what fits a filter, and keeps no list: for a scan that may go on for days.
    ///
    /// As the form with a filter whose callbacks get a list, but for what it remembers, which is as in
    /// the form with `serviceIdentifiers`.
    ///
    /// - Parameters:
    ///   - filter: What is to be told.
    ///   - duration: In seconds, from the scan's begin; 0 is without limit.
    ///   - allowDuplicates: Whether every advertisement is told, rather than each peripheral once.
    ///   - throttleRSSIDelta: With duplicates, changes of the signal strength below it are not told; in
    ///     dB, 0 tells all.
    ///   - besideQueue: Whether it stays out of the queue.
    ///   - discovery: Called for each discovery; its answer says how to go on. Never called after
    ///     `stopped`.
    ///   - expired: With duplicates, called for a peripheral that was silent for 15 s; its answer counts
    ///     as that of `discovery`.
    ///   - stopped: Called once. The error is as in the form with a list.
    /// - Note: `org.bluez.Adapter1.SetDiscoveryFilter` gets the signal strength; the rest is
    ///   looked at here.
    public func scan(
        matching filter: ScanFilter,
        duration: TimeInterval = 0,
        allowDuplicates: Bool = false,
        throttleRSSIDelta: Int = 5,
        besideQueue: Bool = false,
        discovery: @escaping (ScanDiscovery) -> ScanAction,
        expired: ((ScanDiscovery) -> ScanAction)? = nil,
        stopped: @escaping ((any Error)?) -> Void
    ) {
        let request = ScanRequest(
            duration: duration,
            allowsDuplicates: allowDuplicates,
            throttle: throttleRSSIDelta,
            filter: filter,
            isBesideQueue: besideQueue
        )
        let audience = PlainScanReporter(
            discovery: discovery,
            expired: allowDuplicates ? expired : nil,
            stopped: stopped
        )
        scan(request, audience)
    }
}
