internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib

/// The attempt and the calls that wait for Bluetooth.
final class BluetoothWaits {
    private struct Caller {
        let continuation: CheckedContinuation<Void, any Error>
        var wait: ObservationToken?
    }

    /// Called when the wait of an attempt has ended.
    var onAttemptEnd: ((PhaseStateMachine.AttemptID, _ isUsable: Bool) -> Void)?

    private let access: BluetoothAccess
    /// How long a call waits for Bluetooth.
    private let timeout: Duration
    private var attemptWait: ObservationToken?
    private var callers: [Int: Caller] = [:]

    init(_ access: BluetoothAccess, timeout: Duration) {
        self.access = access
        self.timeout = timeout
    }

    var callerCount: Int { callers.count }

    var isIdle: Bool { attemptWait == nil && callers.isEmpty }

    func wait(_ attempt: PhaseStateMachine.AttemptID) {
        attemptWait = access.tracker?.whenUsable(within: timeout) { [weak self] result in
            guard let self else { return }
            attemptWait = nil
            onAttemptEnd?(attempt, (try? result.get()) != nil)
        }
    }

    func cancelAttempt() { attemptWait = nil }

    func wait(caller: Int, _ continuation: CheckedContinuation<Void, any Error>) {
        callers[caller] = Caller(continuation: continuation)
        let wait = access.tracker?.whenUsable(within: timeout) { [weak self] result in
            guard let self, let ended = callers.removeValue(forKey: caller) else { return }
            ended.continuation.resume(
                with: result.mapError { _ in BLEError(access.state) }.map { _ in }
            )
        }
        callers[caller]?.wait = wait
    }

    func cancel(caller: Int) { fail(caller, CancellationError()) }

    func cancelCallers() { for caller in callers.keys.sorted() { cancel(caller: caller) } }

    func failCallers(_ error: BLEError) {
        for caller in callers.keys.sorted() { fail(caller, error) }
    }

    private func fail(_ caller: Int, _ error: any Error) {
        callers.removeValue(forKey: caller)?.continuation.resume(throwing: error)
    }
}

extension BluetoothAccess {
    var now: Duration { engine?.client.clock.now ?? .zero }

    /// Calls `action` at an instant; `nil` schedules nothing.
    func schedule(at instant: Duration?, _ action: @escaping () -> Void) -> ScheduledTimer? {
        engine?.client.clock.schedule(at: instant, action)
    }
}
