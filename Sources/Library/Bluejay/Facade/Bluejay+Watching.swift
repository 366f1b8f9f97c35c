public import FoundationEssentials

extension Bluejay {
    /// Tells who comes and who goes, until it is stopped.
    ///
    /// Stays out of the queue and holds nothing up. Where the adapter has advertisement monitors the
    /// controller only listens, which costs less power and disturbs nobody; else a discovery runs. Which
    /// of both it is, is told. It goes on when Bluetooth has been away and returns, and when bluetoothd
    /// was started anew: who was there is lost meanwhile, and found again.
    ///
    /// In a discovery a peripheral that this machine is connected to is found with
    /// ``ScanDiscovery/isConnected``, and is not lost before its connection has ended.
    ///
    /// Passively nothing is heard that a peripheral sends only when it is asked, or that has no flags,
    /// but for data of a company in `filter`; signal strengths are those of the last change by 8 dB. A
    /// filter with a name is always watched for actively: names are mostly sent when asked for.
    ///
    /// - Parameters:
    ///   - filter: Who is to be told.
    ///   - lostAfter: In seconds, at least 1: how long a silent peripheral counts as there. It should be
    ///     several times the interval of the advertisements.
    ///   - event: Called for each event; its answer says how to go on. `.connect` ends the watch and
    ///     joins the queue. Never called after `stopped`.
    ///   - stopped: Called once. The error is nil when it was stopped by an answer or by
    ///     ``stopScanning()``; else it is ``BluejayError/bluetoothUnavailable(_:)`` when Bluetooth was not
    ///     there at the beginning, ``BluejayError/malformedUUID(_:)``,
    ///     ``BluejayError/malformedAddress(_:)`` or what cancelled it.
    /// - Note: `org.bluez.AdvertisementMonitorManager1.RegisterMonitor`, BlueZ 5.56 and later with
    ///   `--experimental`; else `org.bluez.Adapter1.StartDiscovery`.
    public func watch(
        for filter: ScanFilter,
        lostAfter: TimeInterval = 15,
        event: @escaping (WatchEvent) -> ScanAction,
        stopped: @escaping ((any Error)?) -> Void
    ) {
        let subject = ErrorSubject(.watch)
        call("watch", for: subject, refuse: { stopped($0) }) { instance in
            if let refusal = filter.refusal {
                return instance.scheduler.completeOnNextIteration {
                    stopped(subject.named(refusal))
                }
            }
            // A comparison with what is not a number is false.
            let seconds = lostAfter > 1 ? lostAfter : 1
            instance.queue.enqueue(
                WatchOperation(
                    filter,
                    instance.adapters,
                    instance.connection,
                    lostAfter: Timeout.seconds(seconds).duration ?? .seconds(1_000_000_000),
                    event: event,
                    stopped: stopped
                )
            )
        }
    }
}
