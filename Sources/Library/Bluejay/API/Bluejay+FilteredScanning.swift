public import FoundationEssentials

/// Scanning with a filter, in the queue or outside it.
extension Bluejay {
    /// Scans for peripherals that match a filter, until it is stopped.
    ///
    /// Like the form with `serviceIdentifiers`, except for the peripherals it reports. A peripheral that
    /// stops matching is no longer reported; with duplicates it expires as if it were silent. A matching
    /// peripheral that is connected to this computer is reported for every filter except
    /// ``ScanFilter/everything``.
    ///
    /// Outside the queue, a scan starts at once, or when Bluetooth becomes available, and delays no other
    /// calls: the connected peripheral can be read and written meanwhile, more slowly with some controllers.
    /// Any number of such scans may run. They survive a `connect` and the end of a connection. The action
    /// `.connect` ends the scan and joins the queue.
    ///
    /// - Parameters:
    ///   - filter: The peripherals to report.
    ///   - duration: In seconds, from the start of the scan; 0 means no limit.
    ///   - allowDuplicates: Whether to report every advertisement, or each peripheral once.
    ///   - throttleRSSIDelta: With duplicates, the smallest change of signal strength to report, in dB; 0
    ///     reports all.
    ///   - besideQueue: Whether the scan stays outside the queue.
    ///   - discovery: Called for each discovery, with all discoveries so far; returns the next action. Never
    ///     called after `stopped`.
    ///   - expired: With duplicates, called like `discovery` for a peripheral that was silent for 15 s, with
    ///     the remaining discoveries.
    ///   - stopped: Called once, with the final list. The error is as in the form with `serviceIdentifiers`,
    ///     or ``BluejayError/malformedAddress(_:)``. Scans outside the queue never fail with
    ///     ``BluejayError/multipleScanNotSupported``.
    /// - Note: `org.bluez.Adapter1.SetDiscoveryFilter` receives the signal strength; the library checks the
    ///   other conditions.
    public func scan(
        matching filter: ScanFilter,
        duration: TimeInterval = 0,
        allowDuplicates: Bool = false,
        throttleRSSIDelta: Int = 5,
        besideQueue: Bool = false,
        discovery: @escaping @isolated(any) (ScanDiscovery, [ScanDiscovery]) -> ScanAction,
        expired: (@isolated(any) (ScanDiscovery, [ScanDiscovery]) -> ScanAction)? = nil,
        stopped: @escaping @isolated(any) ([ScanDiscovery], (any Error)?) -> Void
    ) {
        let request = ScanRequest(
            duration: duration,
            allowsDuplicates: allowDuplicates,
            throttle: throttleRSSIDelta,
            filter: filter,
            runsOutsideQueue: besideQueue
        )
        scan(
            request,
            ListScanReporter(
                on: mainLoop.context,
                discovery: discovery,
                expired: expired,
                stopped: stopped
            )
        )
    }

    /// Scans for peripherals that match a filter without keeping a list, for scans that run for days.
    ///
    /// Like the form with a filter and lists, with the bounded memory of the form with `serviceIdentifiers`.
    ///
    /// - Parameters:
    ///   - filter: The peripherals to report.
    ///   - duration: In seconds, from the start of the scan; 0 means no limit.
    ///   - allowDuplicates: Whether to report every advertisement, or each peripheral once.
    ///   - throttleRSSIDelta: With duplicates, the smallest change of signal strength to report, in dB; 0
    ///     reports all.
    ///   - besideQueue: Whether the scan stays outside the queue.
    ///   - discovery: Called for each discovery; returns the next action. Never called after `stopped`.
    ///   - expired: With duplicates, called like `discovery` for a peripheral that was silent for 15 s.
    ///   - stopped: Called once. The error is as in the form with a list.
    /// - Note: `org.bluez.Adapter1.SetDiscoveryFilter` receives the signal strength; the library checks the
    ///   other conditions.
    public func scan(
        matching filter: ScanFilter,
        duration: TimeInterval = 0,
        allowDuplicates: Bool = false,
        throttleRSSIDelta: Int = 5,
        besideQueue: Bool = false,
        discovery: @escaping @isolated(any) (ScanDiscovery) -> ScanAction,
        expired: (@isolated(any) (ScanDiscovery) -> ScanAction)? = nil,
        stopped: @escaping @isolated(any) ((any Error)?) -> Void
    ) {
        let request = ScanRequest(
            duration: duration,
            allowsDuplicates: allowDuplicates,
            throttle: throttleRSSIDelta,
            filter: filter,
            runsOutsideQueue: besideQueue
        )
        let reporter = PlainScanReporter(
            on: mainLoop.context,
            discovery: discovery,
            expired: allowDuplicates ? expired : nil,
            stopped: stopped
        )
        scan(request, reporter)
    }
}
