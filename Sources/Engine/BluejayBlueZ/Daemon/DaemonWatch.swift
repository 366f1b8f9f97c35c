internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib

/// Tracks bluetoothd on the bus: its owner name, its first reply, its end.
///
/// If bluetoothd is missing, the watch requests its start from the bus. It then reads the objects.
final class DaemonWatch {
    typealias State = BlueZClient.State

    enum Event {
        /// `state` may have changed.
        case stateChanged(from: State)
        /// All objects were removed, and `state` may have changed.
        case objectsLost(from: State)
        /// The owner of bluetoothd's name has changed.
        ///
        /// `hasStarted` is true if a signal reported a new bluetoothd, which has just started.
        case ownerChanged(hasStarted: Bool)
        case objectsRead(BusReader, isFirst: Bool)
    }

    /// Receives the events; set once by the client.
    var onEvent: ((Event) -> Void)?
    private(set) var state = State.connecting
    /// The unique name of bluetoothd, or nil while it is not on the bus.
    private(set) var owner: String?
    /// A number that identifies a run of bluetoothd; it only increases.
    private(set) var generation = 0
    /// Whether the objects were read, so that signals apply to them.
    private(set) var hasObjects = false
    private var retry: ScheduledTimer?
    private var failureCount = 0
    private var activation = ActivationStateMachine()
    private var activationTimer: ScheduledTimer?
    private let session: BusSession
    private let clock: any EventClock
    private let log: Log

    init(_ session: BusSession, _ clock: any EventClock, _ log: Log) {
        self.session = session
        self.clock = clock
        self.log = log
    }

    // MARK: The owner

    /// Looks for bluetoothd on a new bus, and requests its start if it is missing.
    func busOpened() { requestOwner(mayStart: true) }

    func busLost(_ error: BusError) {
        perform(activation.busLost())
        let denied = error.name.hasSuffix(".AccessDenied") || error.name.hasSuffix(".AuthFailed")
        loseObjects(denied ? .accessDenied(error.message) : .busUnavailable(error.message))
    }

    private func requestOwner(mayStart: Bool) {
        session.connection?.call(StandardInterfaces.getOwner) {
            [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let values): ownerChanged(values.first?.text ?? "")
            case .failure where mayStart:
                perform(activation.missing(isFirst: true, now: clock.now))
            case .failure(let error): ownerIsMissing(error)
            }
        }
    }

    private func ownerIsMissing(_ error: BusError) {
        // The loss of the bus was reported already, and a bluetoothd may have started meanwhile.
        guard session.connection != nil, owner == nil else { return }
        setState(
            error.name.hasSuffix(".AccessDenied")
                ? .accessDenied(error.message) : .serviceNotRunning
        )
    }

    /// The owner of bluetoothd's name has changed; an empty name means none.
    func ownerChanged(_ name: String, hasStarted: Bool = false) {
        guard name != (owner ?? "") else { return }
        let now = clock.now
        perform(
            name.isEmpty
                ? activation.missing(isFirst: false, now: now) : activation.found(now: now)
        )
        loseObjects(name.isEmpty ? .serviceNotRunning : .connecting)
        onEvent?(.ownerChanged(hasStarted: hasStarted))
        guard !name.isEmpty else { return }
        owner = name
        requestObjects {}
    }

    // The state changes first, so that a link that ends with bluetoothd does not count as lost.
    private func loseObjects(_ next: State) {
        owner = nil
        generation += 1
        hasObjects = false
        retry = nil
        failureCount = 0
        let former = state
        state = next
        onEvent?(.objectsLost(from: former))
    }

    private func setState(_ next: State) {
        let former = state
        state = next
        onEvent?(.stateChanged(from: former))
    }

    // MARK: Starting bluetoothd

    private func perform(_ actions: [ActivationStateMachine.Action]) {
        for action in actions {
            switch action {
            case .startService(let call): startService(call)
            case .setTimer(let delay):
                activationTimer = delay.map { delay in
                    clock.schedule(after: delay) { [weak self] in
                        guard let self else { return }
                        perform(activation.timerFired())
                    }
                }
            }
        }
    }

    private func startService(_ call: Int) {
        log.debug("the bus is asked to start bluetoothd")
        session.connection?.call(StandardInterfaces.startService) {
            [weak self] result in
            guard let self else { return }
            let isFirst = state == .connecting
            switch result {
            case .success:
                perform(activation.replied(call, .accepted))
                requestOwner(mayStart: false)
            case .failure(let error):
                let isUnknown = error.name.hasSuffix(".ServiceUnknown")
                perform(activation.replied(call, isUnknown ? .unknown : .failed))
                log.debug("bluetoothd is not started", ["error": error.description])
                if isFirst { ownerIsMissing(error) }
            }
        }
    }

    // MARK: The objects

    /// Reads all objects; `completion` is called after the event.
    func requestObjects(_ completion: @escaping () -> Void) {
        guard let requestedOwner = owner, let connection = session.connection else {
            return completion()
        }
        connection.callReturningMessage(StandardInterfaces.getManagedObjects) {
            [weak self] result in
            defer { completion() }
            guard let self, owner == requestedOwner else { return }
            switch result {
            case .success(let reply): receiveObjects(reply.reader)
            case .failure(let error): fetchFailed(error)
            }
        }
    }

    private func receiveObjects(_ objects: BusReader) {
        let isFirst = !hasObjects
        hasObjects = true
        failureCount = 0
        onEvent?(.objectsRead(objects, isFirst: isFirst))
        setState(.running)
    }

    // A stopped bluetoothd, or a bus whose policy changes, may reply later without a signal.
    private func fetchFailed(_ error: BusError) {
        let isDenied = error.name.hasSuffix(".AccessDenied")
        if isDenied {
            setState(.accessDenied(error.message))
        } else if !hasObjects {
            setState(error == .noReply ? .serviceNotResponding : .serviceNotRunning)
        }
        guard isDenied || !hasObjects else { return }
        failureCount += 1
        let delay = BusSession.backOff.delay(afterFailures: failureCount)
        retry = clock.schedule(after: delay) { [weak self] in self?.requestObjects {} }
    }

    /// Whether a signal is from bluetoothd and newer than the reply with all objects.
    func isCurrent(_ message: BusMessage) -> Bool {
        guard hasObjects, let owner else { return false }
        return message.isFrom(owner)
    }
}
