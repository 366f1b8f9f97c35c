internal import BluejayBlueZ
internal import BluejayGLib

/// A connect that ends with the attempt of another call to the same peripheral.
///
/// If the limit or the cancellation of the other call ends that attempt, this one makes its own.
final class SharedConnect: LinkMaker {
    let kind = QueueStateMachine.Kind.connect
    // Its limit counts from the turn of the attempt that it shares.
    let timeout = Timeout.none

    var subject: ErrorSubject { own?.subject ?? wanted.subject }

    var aim: ConnectAim {
        if let own { return own.aim }
        switch wanted {
        case .peripheral(let identifier): return .peripheral(identifier, nil)
        case .first(let filter): return .search(filter)
        }
    }

    private let wanted: WantedPeripheral
    private let limit: Timeout
    private let completion: (ConnectionResult) -> Void
    private weak var runner: OperationRunner?
    private var deadline: Duration?
    private var timer: ScheduledTimer?
    /// Its own attempt.
    private var own: (any LinkMaker)?

    init(
        _ wanted: WantedPeripheral,
        within limit: Timeout,
        _ runner: OperationRunner,
        completion: @escaping (ConnectionResult) -> Void
    ) {
        self.wanted = wanted
        self.limit = limit
        self.runner = runner
        self.completion = completion
    }

    /// The attempt that it shares has its turn.
    func attemptBegan(timedOut: @escaping () -> Void) {
        guard deadline == nil, let runner,
            let duration = runner.timeouts.duration(limit, for: .connect)
        else { return }
        deadline = runner.clock.now + duration
        timer = runner.clock.schedule(after: duration, timedOut)
    }

    func start(done: @escaping (BluejayError?) -> Void) {
        timer = nil
        guard let runner else { return done(.cancelled) }
        runner.replaceReconnection()
        // What is left of the time is more than nothing: nothing would be no limit.
        let rest = deadline.map { max($0 - runner.clock.now, .milliseconds(1)) }
        let own = wanted.attempt(
            runner,
            within: rest.map { .seconds($0 / .seconds(1)) } ?? limit,
            completion: completion
        )
        self.own = own
        own.start(done: done)
    }

    func abort() {
        own?.abort()
    }

    func complete(_ error: (any Error)?) {
        timer = nil
        if let own { return own.complete(error) }
        if let error { return completion(.failure(error)) }
        guard let runner, let peripheral = runner.link.peripheral else {
            return completion(.failure(subject.named(BluejayError.notConnected)))
        }
        guard runner.isWanted(wanted, peripheral) else {
            let refusal = BluejayError.multipleConnect(connected: peripheral, isWanted: false)
            return completion(.failure(subject.named(refusal)))
        }
        completion(.success(peripheral))
    }
}
