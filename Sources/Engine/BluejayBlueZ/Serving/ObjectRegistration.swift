package import BluejayDBus

/// Performs what a `RegistrationStateMachine` decides, for one service or one advertisement.
package final class ObjectRegistration {
    package typealias Completion = (Result<Void, RegistrationFailure>) -> Void
    private typealias Machine = RegistrationStateMachine<ObjectPath>

    /// Told once when it ended without a call of the user; nil when its time was over.
    package var onEnded: ((RegistrationFailure?) -> Void)?
    /// Called when `isRegistered` may have changed, before anybody is told.
    package var onRegistration: (() -> Void)?
    /// Called when bluetoothd knows the objects no longer, or another adapter gets them.
    package var onForgotten: (() -> Void)?
    /// Called once when nothing of it is left.
    package var onDisposed: (() -> Void)?

    private let subject: any RegistrableObject
    private let client: BlueZClient
    private let hub: ObjectExporter
    private var machine = Machine()
    /// Where its objects are; nil while they are not on the bus.
    package private(set) var exportedOn: ObjectServer?
    private var onBegun: Completion?
    private var onWithdrawn: [() -> Void] = []
    private var refusal = RegistrationFailure.unavailable

    /// - Parameters:
    ///   - subject: What is registered.
    ///   - client: Where bluetoothd is.
    package init(_ subject: any RegistrableObject, client: BlueZClient) {
        self.subject = subject
        self.client = client
        hub = ObjectExporter.shared(by: client)
    }

    /// Whether bluetoothd knows it at present.
    package var isRegistered: Bool { machine.isRegistered }
    /// Whether an adapter has it or was asked to take it.
    package var isInUse: Bool { machine.isInUse }
    /// The adapter that has it or was asked to take it.
    package var adapter: ObjectPath? { machine.adapter }

    /// Registers it at an adapter that is on; without one it waits, or fails when that is known.
    package func begin(at adapter: ObjectPath?, isKnown: Bool, completion: @escaping Completion) {
        onBegun = completion
        perform(machine.begin(at: adapter, isKnown: isKnown))
    }

    package func withdraw(completion: @escaping () -> Void) {
        onWithdrawn.append(completion)
        perform(machine.withdraw())
    }

    /// bluetoothd takes registrations at `adapter`.
    package func available(at adapter: ObjectPath) {
        perform(machine.available(at: adapter, isOver: subject.isOver))
    }

    package func unavailable() {
        perform(machine.unavailable())
    }

    package func lost() {
        let actions = machine.lost()
        unexport()
        onForgotten?()
        perform(actions)
    }

    package func released(isFinal: Bool) {
        perform(machine.released(isFinal: isFinal))
    }

    /// Ends it at once, with its completions, when its owner goes away.
    package func shutDown() {
        // One that is registered is unregistered by `withdraw`; one that may be taken yet is not.
        if let adapter, !machine.isRegistered { sendUnregister(at: adapter) { _ in } }
        withdraw {}
        lost()
    }

    // An action may call the user, who may call back in: the machine has returned by then.
    private func perform(_ actions: [Machine.Action]) {
        onRegistration?()
        for action in actions {
            switch action {
            case .register(let adapter, let attempt): register(at: adapter, attempt)
            case .unregister(let adapter, let attempt): unregister(at: adapter, attempt)
            case .forsake(let adapter):
                onForgotten?()
                sendUnregister(at: adapter) { _ in }
            case .completeBegin(let outcome): completeBegin(outcome)
            case .completeWithdraw:
                guard !onWithdrawn.isEmpty else { break }
                onWithdrawn.removeFirst()()
            case .tellEnded(let outcome):
                let ended = onEnded
                onEnded = nil
                ended?(outcome == .registered ? nil : refusal)
            case .dispose: dispose()
            }
        }
    }

    private func register(at adapter: ObjectPath, _ attempt: Int) {
        guard let objects = hub.objects else { return }
        if exportedOn !== objects {
            unexport()
            subject.export(on: objects)
            exportedOn = objects
        }
        // bluetoothd asks for the objects before it answers, so nothing waits here.
        let call = subject.registration(at: adapter)
        objects.connection.call(call) { [weak self] result in
            self?.answered(result, from: adapter, call.member, attempt)
        }
    }

    private func answered(
        _ result: CallResult,
        from adapter: ObjectPath,
        _ member: String,
        _ attempt: Int
    ) {
        guard case .failure(let error) = result else {
            let actions = machine.answered(.registered, attempt: attempt)
            if machine.isRegistered { subject.registered() }
            return perform(actions)
        }
        if error == .noReply {
            // It may still be taken later: nobody would know of it then.
            sendUnregister(at: adapter) { _ in }
        }
        refusal = RegistrationFailure(error, from: member)
        perform(machine.answered(.refused, attempt: attempt))
    }

    private func unregister(at adapter: ObjectPath, _ attempt: Int) {
        // Whatever the answer, bluetoothd has it no longer.
        sendUnregister(at: adapter) { [weak self] _ in
            guard let self else { return }
            perform(machine.unregistered(attempt: attempt))
        }
    }

    private func sendUnregister(
        at adapter: ObjectPath,
        _ reply: @escaping (CallResult) -> Void
    ) {
        guard let connection = client.connection else { return reply(.failure(.disconnected)) }
        connection.call(
            subject.unregistration(at: adapter),
            reply: reply
        )
    }

    private func completeBegin(_ outcome: Machine.Outcome) {
        let completion = onBegun
        onBegun = nil
        switch outcome {
        case .registered: completion?(.success(()))
        case .withdrawn: completion?(.failure(.withdrawn))
        case .unavailable: completion?(.failure(.unavailable))
        case .refused: completion?(.failure(refusal))
        }
    }

    private func unexport() {
        if let exportedOn { subject.unexport(from: exportedOn) }
        exportedOn = nil
    }

    private func dispose() {
        unexport()
        onForgotten?()
        let disposed = onDisposed
        onDisposed = nil
        disposed?()
    }
}
