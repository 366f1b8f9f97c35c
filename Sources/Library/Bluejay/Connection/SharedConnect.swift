internal import BluejayBlueZ
internal import BluejayGLib

/// A connect that completes with another call's attempt to the same peripheral.
///
/// If the limit or the cancellation of the other call ends that attempt, this operation makes its own.
final class SharedConnect: LinkMaker {
    let kind = QueueStateMachine.Kind.connect
    // Its limit counts from the turn of the shared attempt.
    let timeout = Timeout.none

    var subject: ErrorSubject { own?.subject ?? requested.subject }

    var aim: ConnectAim {
        if let own { return own.aim }
        switch requested {
        case .peripheral(let identifier): return .peripheral(identifier, nil)
        case .first(let filter): return .search(filter)
        }
    }

    private let requested: RequestedPeripheral
    private let connectTimeout: Timeout
    private let completion: (ConnectionResult) -> Void
    private let connection: ConnectionController
    private var deadline: Duration?
    private var timer: ScheduledTimer?
    /// The operation's own attempt.
    private var own: (any LinkMaker)?

    init(
        _ wanted: RequestedPeripheral,
        within timeout: Timeout,
        _ connection: ConnectionController,
        completion: @escaping (ConnectionResult) -> Void
    ) {
        self.requested = wanted
        self.connectTimeout = timeout
        self.connection = connection
        self.completion = completion
    }

    /// Starts the time limit, because the shared attempt has its turn.
    func attemptStarted(timedOut: @escaping () -> Void) {
        guard deadline == nil, let duration = connection.duration(connectTimeout) else { return }
        deadline = connection.clock.now + duration
        timer = connection.clock.schedule(after: duration, timedOut)
    }

    func start(onEnd: @escaping (BluejayError?) -> Void) {
        timer = nil
        connection.replaceReconnection()
        // At least 1 ms, because zero means no limit.
        let rest = deadline.map { max($0 - connection.clock.now, .milliseconds(1)) }
        let own = connection.attempt(
            requested,
            within: rest.map { .seconds($0 / .seconds(1)) } ?? connectTimeout,
            completion: completion
        )
        self.own = own
        own.start(onEnd: onEnd)
    }

    func abort() {
        own?.abort()
    }

    func complete(_ error: (any Error)?) {
        timer = nil
        if let own { return own.complete(error) }
        if let error { return completion(.failure(error)) }
        guard let peripheral = connection.peripheral else {
            return completion(.failure(subject.annotate(BluejayError.notConnected)))
        }
        guard connection.matches(requested, peripheral) else {
            let rejection = BluejayError.multipleConnect(
                connected: peripheral,
                isSamePeripheral: false
            )
            return completion(.failure(subject.annotate(rejection)))
        }
        completion(.success(peripheral))
    }
}
