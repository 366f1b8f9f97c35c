internal import BluejayBlueZ
internal import BluejayGLib

/// A connect that completes with another call's attempt to the same peripheral.
///
/// If the limit or the cancellation of the other call ends that attempt, this operation makes its own.
final class SharedConnect: ConnectionAttempt {
    let kind = QueueStateMachine.Kind.connect
    // Its limit counts from the turn of the shared attempt.
    let timeout = Timeout.none

    var subject: ErrorSubject { own?.subject ?? requested.subject }

    var attemptTarget: AttemptTarget {
        if let own { return own.attemptTarget }
        switch requested {
        case .peripheral(let identifier): return .peripheral(identifier, nil)
        case .first(let filter): return .search(filter)
        }
    }

    private let requested: RequestedPeripheral
    private let connectTimeout: Timeout
    private let completion: (ConnectionResult) -> Void
    private let context: AttemptContext
    private let makeAttempt: (Timeout) -> any ConnectionAttempt
    private let evaluate: () -> ConnectionResult
    private var deadline: Duration?
    private var timer: ScheduledTimer?
    /// The operation's own attempt.
    private var own: (any ConnectionAttempt)?

    /// - Parameters:
    ///   - requested: The peripheral of this call.
    ///   - context: What the attempts share.
    ///   - timeout: The limit of this call, counted from the turn of the shared attempt.
    ///   - makeAttempt: Makes the operation's own attempt.
    ///   - evaluate: Returns what the success of the shared attempt means for this call.
    ///   - completion: Called once.
    init(
        _ requested: RequestedPeripheral,
        _ context: AttemptContext,
        within timeout: Timeout,
        makeAttempt: @escaping (Timeout) -> any ConnectionAttempt,
        evaluate: @escaping () -> ConnectionResult,
        completion: @escaping (ConnectionResult) -> Void
    ) {
        self.requested = requested
        self.context = context
        self.connectTimeout = timeout
        self.makeAttempt = makeAttempt
        self.evaluate = evaluate
        self.completion = completion
    }

    /// Starts the time limit, because the shared attempt has its turn.
    func attemptStarted(timedOut: @escaping () -> Void) {
        guard deadline == nil, let duration = context.duration(connectTimeout) else { return }
        deadline = context.clock.now + duration
        timer = context.clock.schedule(after: duration, timedOut)
    }

    func start(onEnd: @escaping (BluejayError?) -> Void) {
        timer = nil
        let own = makeAttempt(context.timeout(until: deadline, otherwise: connectTimeout))
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
        completion(evaluate())
    }
}
