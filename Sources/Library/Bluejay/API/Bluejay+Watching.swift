public import FoundationEssentials

extension Bluejay {
    /// Reports peripherals entering and leaving range, until it is stopped.
    ///
    /// A watch bypasses the queue and delays no other calls. If the adapter has advertisement monitors, the
    /// controller only listens, which saves power and radio time; otherwise a discovery runs. An event
    /// reports which of the two is used. The watch continues when Bluetooth becomes available again, and
    /// after bluetoothd restarts: all peripherals are reported as lost meanwhile, and found again. A
    /// discovery that bluetoothd refuses with `NotReady`, `Failed` or `InProgress`, as it does while
    /// Bluetooth returns, is retried after pauses of up to 30 s.
    ///
    /// With a discovery, a peripheral that is connected to this computer is found with
    /// ``ScanDiscovery/isConnected``, and is not lost before its connection has ended.
    ///
    /// A passive watch does not receive scan responses, nor advertisements without flags, unless they have
    /// data of a company in `filter`: a sensor that sends service data and no flags is not found, as its
    /// data of a service matches no monitor. A scan finds it. The watch reports the signal strength after each change of 8 dB. A filter with
    /// a name always watches actively, because most peripherals send their name only in scan responses.
    ///
    /// - Parameters:
    ///   - filter: The peripherals to report.
    ///   - lostAfter: In seconds, at least 1: the silence after which a peripheral is lost. It should be
    ///     several times the interval of the advertisements.
    ///   - event: Called for each event; returns the next action. `.connect` ends the watch and joins the
    ///     queue. Never called after `stopped`.
    ///   - stopped: Called once. The error is `nil` if an action or `stopScanning()` stopped the watch.
    ///     Otherwise it is ``BluejayError/bluetoothUnavailable(_:)`` if Bluetooth was unavailable at the
    ///     start, ``BluejayError/malformedUUID(_:)``, ``BluejayError/malformedAddress(_:)``, or the error
    ///     that cancelled the watch.
    /// - Note: `org.bluez.AdvertisementMonitorManager1.RegisterMonitor`, BlueZ 5.56 and later with
    ///   `--experimental`; otherwise `org.bluez.Adapter1.StartDiscovery`.
    public func watch(
        for filter: ScanFilter,
        lostAfter: TimeInterval = 15,
        event: @escaping @isolated(any) (WatchEvent) -> ScanAction,
        stopped: @escaping @isolated(any) ((any Error)?) -> Void
    ) {
        let subject = ErrorSubject(.watch)
        let actions = ScanActions(on: mainLoop.context)
        let event = actions.handler(event)
        let stopped = mainLoop.context.callback(stopped)
        call("watch", for: subject, onRejection: { stopped($0) }) { instance in
            actions.logOverflow(to: instance.log.queue)
            if let rejection = filter.rejection {
                return instance.scheduler.completeOnNextIteration {
                    stopped(subject.annotate(rejection))
                }
            }
            // A comparison with NaN is false.
            let seconds = lostAfter > 1 ? lostAfter : 1
            instance.queue.enqueue(
                WatchOperation(
                    filter,
                    instance.scanOwners,
                    lostAfter: Timeout.seconds(seconds).duration ?? .seconds(1_000_000_000),
                    actions: actions,
                    event: event,
                    stopped: stopped
                )
            )
        }
    }
}
