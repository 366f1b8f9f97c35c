internal import BluejayGLib
public import FoundationEssentials

extension Bluejay {
    /// Scans until it is stopped.
    ///
    /// Joins the queue. A running scan keeps everything behind it waiting, but a `connect` ends it.
    ///
    /// A peripheral that this machine is connected to need not advertise. One that has one of
    /// `serviceIdentifiers` is told with ``ScanDiscovery/isConnected``, after a second in which what is
    /// free was told first, and does not expire. With duplicates it is told again when its connection has
    /// ended, and expires unless it advertises. The one that this instance is connected to is not told.
    ///
    /// - Parameters:
    ///   - duration: In seconds, from the scan's turn in the queue; 0 is without limit.
    ///   - allowDuplicates: Whether every advertisement is told, rather than each peripheral once.
    ///   - throttleRSSIDelta: With duplicates, changes of the signal strength below it are not told; in
    ///     dB, 0 tells all.
    ///   - serviceIdentifiers: Peripherals that advertise one of them; nil or empty is all that
    ///     advertise.
    ///   - discovery: Called for each discovery with all so far; its answer says how to go on. Never
    ///     called after `stopped`.
    ///   - expired: With duplicates, called for a peripheral that was silent for 15 s, with those that
    ///     remain; its answer counts as that of `discovery`.
    ///   - stopped: Called once with the final list. The error is nil when the scan was stopped by an
    ///     answer, by `stopScanning`, by its duration or by a `connect`; else it is
    ///     ``BluejayError/multipleScanNotSupported``, ``BluejayError/bluetoothUnavailable(_:)``,
    ///     ``BluejayError/malformedUUID(_:)``, ``BluejayError/notConnected`` when the connection of this
    ///     instance was lost meanwhile, or what cancelled it.
    /// - Note: `org.bluez.Adapter1.StartDiscovery` with `Transport` "le".
    public func scan(
        duration: TimeInterval = 0,
        allowDuplicates: Bool = false,
        throttleRSSIDelta: Int = 5,
        serviceIdentifiers: [ServiceIdentifier]? = nil,
        discovery: @escaping (ScanDiscovery, [ScanDiscovery]) -> ScanAction,
        expired: ((ScanDiscovery, [ScanDiscovery]) -> ScanAction)? = nil,
        stopped: @escaping ([ScanDiscovery], (any Error)?) -> Void
    ) {
        let audience = ListScanReporter(discovery: discovery, expired: expired, stopped: stopped)
        scan(duration, allowDuplicates, throttleRSSIDelta, serviceIdentifiers, audience)
    }

    /// Scans until it is stopped, and keeps no list: for a scan that may go on for days.
    ///
    /// As the form whose callbacks get a list, but for what it remembers. With duplicates that is what
    /// was heard in the last 15 s; without, the 10,000 peripherals that were heard last. One that was
    /// forgotten is told again when it comes back.
    ///
    /// - Parameters:
    ///   - duration: In seconds, from the scan's turn in the queue; 0 is without limit.
    ///   - allowDuplicates: Whether every advertisement is told, rather than each peripheral once.
    ///   - throttleRSSIDelta: With duplicates, changes of the signal strength below it are not told; in
    ///     dB, 0 tells all.
    ///   - serviceIdentifiers: Peripherals that advertise one of them; nil or empty is all that
    ///     advertise.
    ///   - discovery: Called for each discovery; its answer says how to go on. Never called after
    ///     `stopped`.
    ///   - expired: With duplicates, called for a peripheral that was silent for 15 s; its answer counts
    ///     as that of `discovery`.
    ///   - stopped: Called once. The error is as in the form with a list.
    /// - Note: `org.bluez.Adapter1.StartDiscovery` with `Transport` "le".
    public func scan(
        duration: TimeInterval = 0,
        allowDuplicates: Bool = false,
        throttleRSSIDelta: Int = 5,
        serviceIdentifiers: [ServiceIdentifier]? = nil,
        discovery: @escaping (ScanDiscovery) -> ScanAction,
        expired: ((ScanDiscovery) -> ScanAction)? = nil,
        stopped: @escaping ((any Error)?) -> Void
    ) {
        let audience = PlainScanReporter(
            discovery: discovery,
            expired: allowDuplicates ? expired : nil,
            stopped: stopped
        )
        scan(duration, allowDuplicates, throttleRSSIDelta, serviceIdentifiers, audience)
    }

    private func scan(
        _ duration: TimeInterval,
        _ allowDuplicates: Bool,
        _ throttleRSSIDelta: Int,
        _ serviceIdentifiers: [ServiceIdentifier]?,
        _ audience: any ScanReporter
    ) {
        let request = ScanRequest(
            duration: duration,
            allowsDuplicates: allowDuplicates,
            throttle: throttleRSSIDelta,
            filter: .anyService(serviceIdentifiers ?? [])
        )
        scan(request, audience)
    }

    func scan(_ request: ScanRequest, _ audience: any ScanReporter) {
        let subject = ErrorSubject(.scan)
        call("scan", for: subject, refuse: { audience.end($0) }) { instance in
            if let refusal = request.filter.refusal {
                return instance.scheduler.completeOnNextIteration {
                    audience.end(subject.named(refusal))
                }
            }
            instance.queue.enqueue(
                ScanOperation(request, audience, instance.adapters, instance.connection)
            )
        }
    }

    /// Stops the scan that runs or waits, and those beside the queue; their `stopped` gets no error.
    ///
    /// Without a scan nothing happens. It is never refused, as a background task may wait behind the scan.
    public func stopScanning() {
        mainLoop.make { [instance] in instance.queue.stopScanning() }
    }
}
