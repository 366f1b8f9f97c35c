internal import BluejayBlueZ
internal import BluejayGLib

/// A decision of the queue that another component performs.
enum QueueEvent {
    case availabilityChanged(Bool)
    case connected
    case disconnected(QueueStateMachine.ConnectionEndReason)
    /// The listens end; kept listens stay if the connection may return.
    case endListens(BluejayError, mayReconnect: Bool)
    case reconnectSuspended
    case reconnectDeferred
    /// The queue is empty, after a `reconnectDeferred`.
    case idle
}

/// Performs the queue: the operations, their time limits and their completions.
final class QueueRunner: StepPerformer {
    typealias ID = QueueStateMachine.ID

    /// Receives the decisions for other components; set once, by the owner.
    var onEvent: ((QueueEvent) -> Void)?

    private var machine = QueueStateMachine()
    private var operations = AscendingKeyTable<any QueuedOperation>()
    /// Operations that have begun and have not reported their end, few at a time.
    private var startedIDs: [ID] = []
    /// The highest identifier that has begun.
    private var lastStartedID = 0
    private var timeoutTimers: [ID: ScheduledTimer] = [:]
    /// The error of all operations up to `lastOverridden`, instead of the queue's error.
    private var overridingError: (any Error)?
    private var lastOverridden = 0
    /// The details of the last read or write, because most programs repeat a call; saves 750 instructions
    /// for each call.
    private var lastCall: SharedCallDetails?
    private var lastAnnotated: AnnotatedError?
    private let cancelledCalls = CancellationDebouncer()
    private let scheduler: StepScheduler
    private let timeouts: CallTimeouts
    private let link: ConnectedLink
    private let clock: any EventClock
    private let log: Log

    init(_ shared: InstanceContext, _ link: ConnectedLink) {
        scheduler = shared.scheduler
        timeouts = shared.timeouts
        self.link = link
        clock = shared.clock
        log = shared.log.queue
        scheduler.performer = self
    }

    // MARK: State

    var isConnected: Bool { machine.isConnected }

    var isConnecting: Bool { machine.isConnecting }

    var isDisconnecting: Bool { machine.isDisconnecting }

    var isScanning: Bool { machine.isScanning }

    /// Whether an attempt to reconnect is being cancelled for another call.
    var isPreempting: Bool { machine.isPreempting }

    /// Whether no connection exists and no operation runs or waits.
    var isUnused: Bool { machine.isUnused && !machine.isScanning }

    /// Whether a disconnect is running or waiting.
    var willDisconnect: Bool { machine.willDisconnect }

    /// The state for any thread.
    var status: QueueStateMachine.Status { machine.status }

    var nextID: ID { scheduler.lastID + 1 }

    /// The attempt that excludes another connect.
    var attempt: ID? { machine.attempt }

    /// An operation that is not yet completed.
    func operation(_ id: ID) -> (any QueuedOperation)? { operations[id] }

    /// Returns whether an operation is not yet completed.
    func contains(_ id: ID) -> Bool { operations[id] != nil }

    /// The error that would reject an operation of a kind, or `nil`.
    func rejection(of kind: QueueStateMachine.Kind) -> BluejayError? { machine.rejection(of: kind) }

    /// Returns the details of a read or a write.
    func details(
        of call: BluejayError.Call,
        _ characteristic: CharacteristicIdentifier
    ) -> SharedCallDetails {
        if let lastCall, lastCall.matches(call, characteristic) { return lastCall }
        let details = SharedCallDetails(call, characteristic)
        lastCall = details
        return details
    }

    // MARK: Adding operations

    /// Adds an operation, or rejects it on a later iteration.
    @discardableResult
    func enqueue(_ operation: any QueuedOperation) -> ID {
        let id = add(operation)
        scheduler.perform(machine.enqueue(id, operation.kind))
        return id
    }

    /// Adds an operation, and calls `accepted` before its first step unless the queue rejects it.
    func enqueue(_ operation: any QueuedOperation, ifAccepted accepted: () -> Void) {
        let id = add(operation)
        let actions = machine.enqueue(id, operation.kind)
        if !actions.contains(where: { $0.isFailure(of: id) }) { accepted() }
        scheduler.perform(actions)
    }

    /// Adds an operation; `submit` or `reject` must follow.
    func add(_ operation: any QueuedOperation) -> ID {
        let id = scheduler.makeID()
        operations.append(id, operation)
        if log.isTracing {
            log.trace("enqueued", ["operation": "\(id)", "what": operation.subject.text])
        }
        return id
    }

    func submit(_ id: ID, _ operation: any QueuedOperation) {
        scheduler.perform(machine.enqueue(id, operation.kind))
    }

    func reject(_ id: ID, _ error: BluejayError) {
        scheduler.perform([.complete(id, error)])
    }

    /// Adds a connect that shares another call's attempt.
    ///
    /// `isSame` is whether both calls mean the same peripheral; false while that is unknown.
    func share(_ operation: any QueuedOperation, attempt: ID, isSame: Bool) -> ID {
        let id = add(operation)
        scheduler.perform(machine.share(id, attempt: attempt, isSame: isSame))
        return id
    }

    // MARK: Ending operations

    func cancel(_ id: ID, _ error: BluejayError) {
        scheduler.perform(machine.cancel(id, error))
    }

    /// Fails the operation of a cancelled task; the next operation waits until cancellations stop.
    func cancelCall(_ id: ID) {
        cancelledCalls.cancellationReceived(clock)
        cancel(id, .cancelled)
    }

    /// Fails the operations after `last`, except the ends of listens.
    func cancelCalls(after last: ID) {
        for (id, operation) in operations.sorted where id > last && operation.kind != .endOfListen {
            cancel(id, .cancelled)
        }
    }

    /// Fails all operations of the queue, and calls `first` before the first completion; the connection
    /// stays.
    func cancelAll(_ error: BluejayError, first: () -> Void = {}) {
        let actions = machine.cancelAll(error)
        first()
        scheduler.perform(actions)
    }

    func cancelAll(_ error: BluejayError, disconnecting operation: any QueuedOperation) {
        let id = add(operation)
        scheduler.perform(machine.cancelAll(error, disconnecting: id))
    }

    /// Disconnects without waiting for the operations before it, which fail.
    func disconnectImmediately(_ operation: any QueuedOperation) {
        let id = add(operation)
        scheduler.perform(machine.disconnectImmediately(id))
    }

    /// Fails the scans outside the queue.
    func cancelConcurrentScans(_ error: BluejayError) {
        scheduler.perform(machine.concurrentScans.cancelAll(error))
    }

    func stopScanning() {
        scheduler.perform(machine.stopScanning())
    }

    /// Makes all current operations fail with `error` instead of the queue's error.
    func overrideErrors(with error: any Error) {
        overridingError = error
        lastOverridden = scheduler.lastID
    }

    /// Forgets the connection, which stays open, and returns actions that fail all operations.
    func stop() -> [QueueStateMachine.Action] { machine.stop() }

    func finishStop(_ actions: [QueueStateMachine.Action]) {
        scheduler.perform(actions)
    }

    /// Fails all operations at once, because the instance is being released.
    func failAll(_ error: BluejayError) {
        timeoutTimers = [:]
        let all = operations.sorted
        operations = AscendingKeyTable()
        for (_, operation) in all {
            operation.abort()
            operation.complete(annotate(error, operation))
        }
    }

    func reset() {
        startedIDs = []
        machine = QueueStateMachine()
    }

    // MARK: Events

    /// Starts the waiting operations, after calling `first`.
    func becameAvailable(first: () -> Void) {
        let actions = machine.becameAvailable()
        first()
        scheduler.perform(actions)
    }

    func becameUnavailable(_ state: BluetoothState) {
        scheduler.perform(machine.becameUnavailable(state))
    }

    func connectionLost() {
        scheduler.perform(machine.connectionLost())
    }

    // MARK: Performing

    func perform(_ action: QueueStateMachine.Action) {
        if log.isTracing { trace(action) }
        switch action {
        case .start(let id): start(id)
        case .abort(let id):
            operations[id]?.abort()
            // An operation that has not begun reports no end.
            if !startedIDs.contains(id) { finish(id, nil) }
        case .attemptStarted(let id):
            operations[id]?.attemptStarted { [weak self] in
                self?.cancel(id, .connectionTimedOut)
            }
        case .interrupt(let id): operations[id]?.interrupt()
        case .stopScan(let id): operations[id]?.stop()
        case .complete(let id, let error): complete(id, error)
        case .announceAvailability(let isAvailable): onEvent?(.availabilityChanged(isAvailable))
        case .announceConnected: onEvent?(.connected)
        case .announceDisconnected(let end): onEvent?(.disconnected(end))
        case .endListens(let error, let mayReturn):
            onEvent?(.endListens(error, mayReconnect: mayReturn))
        case .reconnectSuspended: onEvent?(.reconnectSuspended)
        case .reconnectDeferred: onEvent?(.reconnectDeferred)
        case .idle: onEvent?(.idle)
        }
    }

    func finish(_ id: ID, _ error: BluejayError?) {
        scheduler.perform(machine.finished(id, error: error))
    }

    private func start(_ id: ID) {
        guard let operation = operations[id] else { return }
        // Only reads, writes and listens wait; an attempt or a scan can be cancelled after its start.
        guard operation.kind == .characteristic, !cancelledCalls.isIdle else {
            return startImmediately(id, operation)
        }
        cancelledCalls.afterCancellations { [weak self] in
            guard let self, operations[id] === operation else { return }
            startImmediately(id, operation)
        }
    }

    private func startImmediately(_ id: ID, _ operation: any QueuedOperation) {
        lastStartedID = max(lastStartedID, id)
        if let timeout = timeouts.duration(operation.timeout, for: operation.subject.call) {
            timeoutTimers[id] = clock.schedule(after: timeout) { [weak self] in
                self?.cancel(id, .operationTimedOut)
            }
        }
        if log.isTracing {
            log.trace("started", ["operation": "\(id)", "what": operation.subject.text])
        }
        startedIDs.append(id)
        operation.start { [self] error in operationEnded(id, error) }
    }

    private func operationEnded(_ id: ID, _ error: BluejayError?) {
        if log.isTracing { log.trace("ended", ["operation": "\(id)", "error": text(error)]) }
        removeStarted(id)
        guard scheduler.canEnd(id) else { return scheduler.finish(id, error) }
        scheduler.perform(machine.finished(id, error: error))
    }

    private func removeStarted(_ id: ID) {
        if let index = startedIDs.firstIndex(of: id) { startedIDs.remove(at: index) }
    }

    private func complete(_ id: ID, _ error: BluejayError?) {
        if id <= lastStartedID { timeoutTimers.removeValue(forKey: id) }
        guard let operation = operations.removeValue(forKey: id) else { return }
        // An aborted scan reports no end.
        if operation.kind.isScan { removeStarted(id) }
        if operation.kind.createsLink { scheduler.perform(machine.attemptEnded(id, error)) }
        guard let error else { return operation.complete(nil) }
        let overriding = id <= lastOverridden ? overridingError : nil
        if lastOverridden > 0, operations.isEmpty { (overridingError, lastOverridden) = (nil, 0) }
        operation.complete(overriding ?? annotate(error, operation))
    }

    /// Adds the call and its target to an error.
    ///
    /// Operations that fail together, such as a million cancelled reads, share one error, which saves 4,200
    /// instructions for each of them.
    func annotate(_ error: BluejayError, _ operation: any QueuedOperation) -> any Error {
        guard let call = operation.callDetails else {
            return operation.subject.annotate(error, link.subject)
        }
        let session = link.sessionNumber
        if let lastAnnotated, lastAnnotated.call === call, lastAnnotated.session == session,
            lastAnnotated.underlying.isIdentical(to: error)
        {
            return lastAnnotated.annotated
        }
        let annotated = call.subject.annotate(error, link.subject)
        lastAnnotated = AnnotatedError(
            call: call,
            session: session,
            underlying: error,
            annotated: annotated
        )
        return annotated
    }

    // MARK: Tracing

    private func trace(_ action: QueueStateMachine.Action) {
        switch action {
        case .start, .attemptStarted: break
        case .abort(let id): log.trace("aborted", ["operation": "\(id)"])
        case .interrupt(let id): log.trace("interrupted", ["operation": "\(id)"])
        case .stopScan(let id): log.trace("stopped", ["operation": "\(id)"])
        case .complete(let id, let error): traceEnd(id, error)
        case .announceAvailability, .announceConnected, .announceDisconnected: break
        case .endListens(let error, let mayReturn):
            log.trace("listens ended", ["error": text(error), "kept": "\(mayReturn)"])
        case .reconnectSuspended: log.trace("reconnection suspended")
        case .reconnectDeferred: log.trace("reconnection deferred")
        case .idle: log.trace("queue idle")
        }
    }

    private func traceEnd(_ id: ID, _ error: BluejayError?) {
        let operation = operations[id]
        let details: LogDetails = [
            "operation": "\(id)", "what": operation?.subject.text ?? "",
            "bytes": error == nil ? operation?.byteCount.map(String.init) ?? "" : "",
            "error": text(error),
        ]
        if error == nil { log.trace("succeeded", details) } else { log.trace("failed", details) }
    }

    private func text(_ error: BluejayError?) -> String { error.map { "\($0)" } ?? "" }
}

/// An error with the call whose subject was added to it.
private final class AnnotatedError {
    let call: SharedCallDetails
    /// The number of the session at that time.
    let session: Int
    let underlying: BluejayError
    let annotated: any Error

    init(call: SharedCallDetails, session: Int, underlying: BluejayError, annotated: any Error) {
        self.call = call
        self.session = session
        self.underlying = underlying
        self.annotated = annotated
    }
}
