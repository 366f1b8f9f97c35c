package import BluejayDBus
internal import BluejayGLib

/// Performs the actions of a `RegistrationStateMachine` for one service or advertisement.
package final class ObjectRegistration {
    package typealias Completion = (Result<Void, RegistrationFailure>) -> Void
    private typealias Machine = RegistrationStateMachine<ObjectPath>

    /// Called once when the registration ends on its own; `nil` if its time limit was reached.
    package var onEnded: ((RegistrationFailure?) -> Void)?
    /// Called when `isRegistered` may have changed, before any other callback.
    package var onRegistrationChange: (() -> Void)?
    /// Called when bluetoothd has dropped the objects, or another adapter receives them.
    package var onUnregistered: (() -> Void)?
    /// Called once when the registration has been disposed of.
    package var onDisposed: (() -> Void)?

    private let object: any RegistrableObject
    private let exporter: ObjectExporter
    private let clock: any EventClock
    private var retryTimer: ScheduledTimer?
    private var machine = Machine()
    /// The server that exports the objects; `nil` while they are not exported.
    package private(set) var objectServer: ObjectServer?
    private var startCompletion: Completion?
    private var withdrawCompletions: [() -> Void] = []
    private var lastFailure = RegistrationFailure.unavailable

    package init(_ object: any RegistrableObject, client: BlueZClient) {
        self.object = object
        exporter = ObjectExporter.shared(by: client)
        clock = client.clock
    }

    /// Whether bluetoothd has the objects.
    package var isRegistered: Bool { machine.isRegistered }
    /// Whether an adapter has the objects or a registration is pending.
    package var isInUse: Bool { machine.isInUse }
    /// The adapter that has the objects or was asked to register them.
    package var adapter: ObjectPath? { machine.adapter }

    /// Registers the objects at an adapter that is on.
    ///
    /// Without an adapter the call waits, or fails if `isAvailabilityKnown`.
    package func start(
        at adapter: ObjectPath?,
        isAvailabilityKnown: Bool,
        completion: @escaping Completion
    ) {
        startCompletion = completion
        perform(machine.start(at: adapter, isAvailabilityKnown: isAvailabilityKnown))
    }

    package func withdraw(completion: @escaping () -> Void) {
        withdrawCompletions.append(completion)
        perform(machine.withdraw())
    }

    /// bluetoothd accepts registrations at `adapter`.
    package func available(at adapter: ObjectPath) {
        perform(machine.available(at: adapter, isExpired: object.isExpired))
    }

    package func unavailable() {
        perform(machine.unavailable())
    }

    package func lost() {
        let actions = machine.lost()
        unexport()
        onUnregistered?()
        perform(actions)
    }

    package func released(isFinal: Bool) {
        perform(machine.released(isFinal: isFinal))
    }

    /// Ends the registration and its completions immediately, when the owner is released.
    package func shutDown() {
        // `withdraw` unregisters only objects that are registered. A pending registration may still
        // succeed, so it is unregistered here.
        if let adapter, !machine.isRegistered { sendUnregister(at: adapter) { _ in } }
        withdraw {}
        lost()
    }

    // An action may call the user, who may call back: the machine has returned by then.
    private func perform(_ actions: [Machine.Action]) {
        onRegistrationChange?()
        for action in actions {
            switch action {
            case .register(let adapter, let attempt): register(at: adapter, attempt)
            case .unregister(let adapter, let attempt): unregister(at: adapter, attempt)
            case .unregisterWithoutReply(let adapter):
                onUnregistered?()
                sendUnregister(at: adapter) { _ in }
            case .retry(let attempt, let pause): retry(attempt, after: pause)
            case .completeStart(let outcome): completeStart(outcome)
            case .completeWithdraw:
                guard !withdrawCompletions.isEmpty else { break }
                withdrawCompletions.removeFirst()()
            case .reportEnded(let outcome):
                let ended = onEnded
                onEnded = nil
                ended?(outcome == .registered ? nil : lastFailure)
            case .dispose: dispose()
            }
        }
    }

    private func register(at adapter: ObjectPath, _ attempt: Int) {
        guard let objects = exporter.objects else { return }
        if objectServer !== objects {
            unexport()
            object.export(on: objects)
            objectServer = objects
        }
        // The call is asynchronous, as bluetoothd reads the objects before it replies.
        let call = object.registration(at: adapter)
        exporter.call(call) { [weak self] result in
            self?.replied(result, from: adapter, call.member, attempt)
        }
    }

    private func replied(
        _ result: CallResult,
        from adapter: ObjectPath,
        _ member: String,
        _ attempt: Int
    ) {
        guard machine.isCurrent(attempt: attempt) else {
            // bluetoothd may register the objects later, if the call has had no reply.
            guard result.isSuccess || result.isWithoutReply else { return }
            return perform(machine.registeredLate(at: adapter))
        }
        guard case .failure(let error) = result else {
            let actions = machine.replied(.registered, attempt: attempt)
            if machine.isRegistered { object.registered() }
            return perform(actions)
        }
        if result.isWithoutReply { sendUnregister(at: adapter) { _ in } }
        lastFailure = RegistrationFailure(error, from: member)
        if BlueZFailure(error) == .alreadyDone {
            perform(machine.alreadyRegistered(attempt: attempt))
        } else if lastFailure.mayPass {
            perform(machine.refusedForNow(attempt: attempt))
        } else {
            perform(machine.replied(.failed, attempt: attempt))
        }
    }

    private func retry(_ attempt: Int, after pause: Duration) {
        retryTimer = clock.schedule(after: pause) { [weak self] in
            guard let self else { return }
            perform(machine.retryTimerFired(attempt: attempt, isExpired: object.isExpired))
        }
    }

    private func unregister(at adapter: ObjectPath, _ attempt: Int) {
        // bluetoothd drops it whatever the reply.
        sendUnregister(at: adapter) { [weak self] _ in
            guard let self else { return }
            perform(machine.unregistered(attempt: attempt))
        }
    }

    private func sendUnregister(
        at adapter: ObjectPath,
        _ reply: @escaping (CallResult) -> Void
    ) {
        exporter.call(object.unregistration(at: adapter), reply: reply)
    }

    private func completeStart(_ outcome: Machine.Outcome) {
        let completion = startCompletion
        startCompletion = nil
        switch outcome {
        case .registered: completion?(.success(()))
        case .withdrawn: completion?(.failure(.withdrawn))
        case .unavailable: completion?(.failure(.unavailable))
        case .failed: completion?(.failure(lastFailure))
        }
    }

    private func unexport() {
        if let objectServer { object.unexport(from: objectServer) }
        objectServer = nil
    }

    private func dispose() {
        unexport()
        onUnregistered?()
        let disposed = onDisposed
        onDisposed = nil
        disposed?()
    }
}

/// An object that is exported and registered with bluetoothd.
package protocol RegistrableObject: AnyObject {
    func registration(at adapter: ObjectPath) -> MethodCall
    func unregistration(at adapter: ObjectPath) -> MethodCall
    func export(on objects: ObjectServer)
    func unexport(from objects: ObjectServer)
    func registered()
    /// Whether the time limit was reached while no adapter had the object.
    var isExpired: Bool { get }
}

extension RegistrableObject {
    package func registered() {}
    package var isExpired: Bool { false }
}

extension CallResult {
    fileprivate var isSuccess: Bool { (try? get()) != nil }
    /// Whether the call had no reply in time, so that its effect is unknown.
    fileprivate var isWithoutReply: Bool {
        if case .failure(.noReply) = self { true } else { false }
    }
}
