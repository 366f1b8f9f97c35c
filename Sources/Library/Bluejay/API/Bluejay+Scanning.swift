internal import BluejayGLib
public import FoundationEssentials

extension Bluejay {
    /// Scans until it is stopped.
    ///
    /// Joins the queue. A running scan blocks all later calls, except that a `connect` ends it.
    ///
    /// A peripheral that is connected to this computer need not advertise. If it has one of
    /// `serviceIdentifiers`, it is reported with ``ScanDiscovery/isConnected`` and does not expire. For the
    /// first second, advertising peripherals are reported before it. With duplicates it is reported again
    /// when its connection has ended, and then expires unless it advertises. The peripheral that this
    /// instance is connected to is not reported.
    ///
    /// - Parameters:
    ///   - duration: In seconds, from the scan's turn in the queue; 0 means no limit.
    ///   - allowDuplicates: Whether to report every advertisement, or each peripheral once.
    ///   - throttleRSSIDelta: With duplicates, the smallest change of signal strength to report, in dB; 0
    ///     reports all.
    ///   - serviceIdentifiers: Reports peripherals that advertise one of these services; `nil` or empty
    ///     reports all advertisers.
    ///   - discovery: Called for each discovery, with all discoveries so far; returns the next action. Never
    ///     called after `stopped`.
    ///   - expired: With duplicates, called like `discovery` for a peripheral that was silent for 15 s, with
    ///     the remaining discoveries.
    ///   - stopped: Called once, with the final list. The error is `nil` if an action, `stopScanning`, the
    ///     duration or a `connect` stopped the scan. Otherwise it is
    ///     ``BluejayError/multipleScanNotSupported``, ``BluejayError/bluetoothUnavailable(_:)``,
    ///     ``BluejayError/malformedUUID(_:)``, ``BluejayError/notConnected`` if this instance lost its
    ///     connection meanwhile, or the error that cancelled the scan.
    /// - Note: `org.bluez.Adapter1.StartDiscovery` with `Transport` "le".
    public func scan(
        duration: TimeInterval = 0,
        allowDuplicates: Bool = false,
        throttleRSSIDelta: Int = 5,
        serviceIdentifiers: [ServiceIdentifier]? = nil,
        discovery: @escaping @isolated(any) (ScanDiscovery, [ScanDiscovery]) -> ScanAction,
        expired: (@isolated(any) (ScanDiscovery, [ScanDiscovery]) -> ScanAction)? = nil,
        stopped: @escaping @isolated(any) ([ScanDiscovery], (any Error)?) -> Void
    ) {
        let reporter = ListScanReporter(
            on: mainLoop.context,
            discovery: discovery,
            expired: expired,
            stopped: stopped
        )
        scan(duration, allowDuplicates, throttleRSSIDelta, serviceIdentifiers, reporter)
    }

    /// Scans until it is stopped without keeping a list, for scans that run for days.
    ///
    /// Like the form with lists, but with duplicates it remembers only the advertisements of the last 15 s,
    /// and without duplicates the 10,000 peripherals seen last. A forgotten peripheral is reported again at
    /// its next advertisement.
    ///
    /// - Parameters:
    ///   - duration: In seconds, from the scan's turn in the queue; 0 means no limit.
    ///   - allowDuplicates: Whether to report every advertisement, or each peripheral once.
    ///   - throttleRSSIDelta: With duplicates, the smallest change of signal strength to report, in dB; 0
    ///     reports all.
    ///   - serviceIdentifiers: Reports peripherals that advertise one of these services; `nil` or empty
    ///     reports all advertisers.
    ///   - discovery: Called for each discovery; returns the next action. Never called after `stopped`.
    ///   - expired: With duplicates, called like `discovery` for a peripheral that was silent for 15 s.
    ///   - stopped: Called once. The error is as in the form with a list.
    /// - Note: `org.bluez.Adapter1.StartDiscovery` with `Transport` "le".
    public func scan(
        duration: TimeInterval = 0,
        allowDuplicates: Bool = false,
        throttleRSSIDelta: Int = 5,
        serviceIdentifiers: [ServiceIdentifier]? = nil,
        discovery: @escaping @isolated(any) (ScanDiscovery) -> ScanAction,
        expired: (@isolated(any) (ScanDiscovery) -> ScanAction)? = nil,
        stopped: @escaping @isolated(any) ((any Error)?) -> Void
    ) {
        let reporter = PlainScanReporter(
            on: mainLoop.context,
            discovery: discovery,
            expired: allowDuplicates ? expired : nil,
            stopped: stopped
        )
        scan(duration, allowDuplicates, throttleRSSIDelta, serviceIdentifiers, reporter)
    }

    private func scan(
        _ duration: TimeInterval,
        _ allowDuplicates: Bool,
        _ throttleRSSIDelta: Int,
        _ serviceIdentifiers: [ServiceIdentifier]?,
        _ reporter: any ScanReporter
    ) {
        let request = ScanRequest(
            duration: duration,
            allowsDuplicates: allowDuplicates,
            throttle: throttleRSSIDelta,
            filter: .anyService(serviceIdentifiers ?? [])
        )
        scan(request, reporter)
    }

    func scan(_ request: ScanRequest, _ reporter: any ScanReporter) {
        let subject = ErrorSubject(.scan)
        call("scan", for: subject, onRejection: { reporter.finish($0) }) { instance in
            reporter.actions.logOverflow(to: instance.log.queue)
            if let rejection = request.filter.rejection {
                return instance.scheduler.completeOnNextIteration {
                    reporter.finish(subject.annotate(rejection))
                }
            }
            instance.queue.enqueue(
                ScanOperation(request, reporter, instance.scanOwners)
            )
        }
    }

    /// Stops the scan in the queue and all scans outside it; their `stopped` closures receive no error.
    ///
    /// Without a scan the call does nothing. It is never rejected, because a background task may wait for the
    /// scan.
    public func stopScanning() {
        mainLoop.callOrPost { [instance] in instance.queue.stopScanning() }
    }
}
