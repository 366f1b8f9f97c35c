public import Foundation

extension Bluejay {
    /// Scans until it is stopped.
    ///
    /// Joins the queue. A running scan keeps everything behind it waiting, but a `connect` ends it.
    ///
    /// - Parameters:
    ///   - duration: In seconds, from the scan's turn in the queue; 0 is without limit.
    ///   - allowDuplicates: Whether every advertisement is told, rather than each peripheral once.
    ///   - throttleRSSIDelta: With duplicates, changes of the signal strength below it are not told; in
    ///     dB, 0 tells all.
    ///   - serviceIdentifiers: Peripherals that advertise one of them; nil or empty is all.
    ///   - discovery: Called for each discovery with all so far; its answer says how to go on. Never
    ///     called after `stopped`.
    ///   - expired: With duplicates, called for a peripheral that was silent for 15 s, with those that
    ///     remain; only the answer `.stop` counts.
    ///   - stopped: Called once with the final list. The error is nil when the scan was stopped by an
    ///     answer, by `stopScanning`, by its duration or by a `connect`; else it is
    ///     ``BluejayError/multipleScanNotSupported``, ``BluejayError/bluetoothUnavailable(_:)``,
    ///     ``BluejayError/malformedUUID(_:)`` or what cancelled it.
    /// - Note: `org.bluez.Adapter1.StartDiscovery` with `Transport` "le".
    public func scan(
        duration: TimeInterval = 0,
        allowDuplicates: Bool = false,
        throttleRSSIDelta: Int = 5,
        serviceIdentifiers: [ServiceIdentifier]?,
        discovery: @escaping (ScanDiscovery, [ScanDiscovery]) -> ScanAction,
        expired: ((ScanDiscovery, [ScanDiscovery]) -> ScanAction)? = nil,
        stopped: @escaping ([ScanDiscovery], (any Error)?) -> Void
    ) {
        guard admits(refuse: { stopped([], $0) }) else { return }
        if let refusal = runner.refusal(serviceIdentifiers ?? []) {
            return runner.answer { stopped([], refusal) }
        }
        runner.enqueue(
            ScanOperation(
                duration: duration,
                allowDuplicates: allowDuplicates,
                throttleRSSIDelta: throttleRSSIDelta,
                services: serviceIdentifiers,
                discovery: discovery,
                expired: expired,
                stopped: stopped
            )
        )
    }

    /// Stops the scan that runs or waits; its `stopped` gets no error.
    ///
    /// Without a scan nothing happens. It is never refused, as a background task may wait behind the scan.
    public func stopScanning() {
        guard !TaskThread.isCurrent else {
            let runner = Confined(runner)
            return mainLoop.post { runner.value.handle(runner.value.queue.stopScan()) }
        }
        checkLoop()
        runner.handle(runner.queue.stopScan())
    }
}
