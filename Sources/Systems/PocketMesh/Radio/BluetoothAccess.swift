internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

/// The engine and its adapter, from the start to the shutdown, and the calls that wait for them.
final class BluetoothAccess {
    enum Report {
        case state(BluetoothState)
        /// The wait of an attempt has ended.
        case waitEnded(PhaseStateMachine.AttemptID, isUsable: Bool)
        /// The loop ends, and waits until the closure is called.
        case loopIsEnding(UncheckedTransfer<() -> Void>)
        /// The loop ends now, whatever bluetoothd has answered.
        case loopEnded
    }

    private struct Waiter {
        let continuation: CheckedContinuation<Void, any Error>
        var wait: ObservationToken?
    }

    var onReport: ((Report) -> Void)?

    /// Whether Bluetooth is usable, as last reported.
    private(set) var state = BluetoothState.unknown

    private let host: BluetoothHost
    /// How long a call waits for Bluetooth.
    private let timeout: Duration
    /// `nil` before the start and after the shutdown.
    private var tracker: AdapterTracker?
    /// Makes the end of the loop wait for the disconnection.
    private var shutdownHook: ShutdownHook?
    private var attemptWait: ObservationToken?
    private var waiters: [Int: Waiter] = [:]

    init(_ host: BluetoothHost, timeout: Duration) {
        self.host = host
        self.timeout = timeout
    }

    /// Whether the loop ends or has ended.
    var isEnding: Bool { host.mainLoop.context.isEnding }

    var engine: BlueZEngine? { tracker?.engine }

    var isUsable: Bool { tracker?.adapter != nil }

    /// The scans of the chosen adapter, if it is usable.
    var discoverySession: DiscoverySession? {
        guard let tracker, let adapter = tracker.adapter else { return nil }
        return tracker.engine.discoverySession(adapter)
    }

    var now: Duration { engine?.client.clock.now ?? .zero }

    var callerCount: Int { waiters.count }

    var isIdle: Bool { attemptWait == nil && waiters.isEmpty }

    /// Starts to follow Bluetooth; the owner then calls `reportState`.
    ///
    /// - Returns: False if the access is open already, or the loop ends.
    func open() -> Bool {
        guard tracker == nil, !isEnding else { return false }
        let tracker = AdapterTracker(host)
        self.tracker = tracker
        tracker.onChange = { [weak self] action in
            guard let self, case .report(let state) = action else { return }
            self.state = state
            onReport?(.state(state))
        }
        return true
    }

    /// Reports the end of the loop, also before `open`.
    func followLoop() {
        guard shutdownHook == nil else { return }
        shutdownHook = host.mainLoop.context.addShutdownHook { [weak self] completion in
            guard let self, let onReport else { return completion() }
            onReport(.loopIsEnding(UncheckedTransfer(completion)))
        } ended: { [weak self] in
            self?.onReport?(.loopEnded)
        }
    }

    func reportState() { tracker?.reportState() }

    func close() {
        shutdownHook = nil
        attemptWait = nil
        tracker?.onChange = nil
        tracker = nil
        state = .unknown
    }

    func update() { tracker?.update() }

    /// Keeps the adapter while it is in use.
    func pin(_ isUsed: Bool) { tracker?.pin(isUsed) }

    /// Calls `action` at an instant; `nil` schedules nothing.
    func schedule(at instant: Duration?, _ action: @escaping () -> Void) -> ScheduledTimer? {
        engine?.client.clock.schedule(at: instant, action)
    }

    /// The link to a device over the chosen adapter, if that is usable.
    func link(to address: DeviceAddress) -> Link? {
        guard let tracker, let adapter = tracker.adapter else { return nil }
        return tracker.engine.link(to: address, over: adapter)
    }

    // MARK: Waiting

    func wait(_ attempt: PhaseStateMachine.AttemptID) {
        attemptWait = tracker?.whenUsable(within: timeout) { [weak self] result in
            guard let self else { return }
            attemptWait = nil
            onReport?(.waitEnded(attempt, isUsable: (try? result.get()) != nil))
        }
    }

    func cancelWait() { attemptWait = nil }

    func wait(caller: Int, _ continuation: CheckedContinuation<Void, any Error>) {
        waiters[caller] = Waiter(continuation: continuation)
        let wait = tracker?.whenUsable(within: timeout) { [weak self] result in
            guard let self, let waiter = waiters.removeValue(forKey: caller) else { return }
            switch result {
            case .success: waiter.continuation.resume()
            case .failure: waiter.continuation.resume(throwing: BLEError(state))
            }
        }
        waiters[caller]?.wait = wait
    }

    func cancel(caller: Int) {
        waiters.removeValue(forKey: caller)?.continuation.resume(throwing: CancellationError())
    }

    func cancelCallers() {
        for caller in waiters.keys.sorted() { cancel(caller: caller) }
    }

    func failCallers(_ error: BLEError) {
        let failed = waiters
        waiters = [:]
        for caller in failed.keys.sorted() { failed[caller]?.continuation.resume(throwing: error) }
    }
}
