internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayDBus

/// How one kind of object is put on the bus and made known to bluetoothd.
protocol Publishable: AnyObject {
    /// The interface of the adapter with the two methods.
    var manager: String { get }
    /// The end of the names of the two methods, behind `Register` and `Unregister`.
    var kind: String { get }
    /// The path bluetoothd is given.
    var path: ObjectPath { get }
    /// Puts the objects on the bus.
    func export(on objects: ObjectServer)
    /// Takes them off.
    func unexport(from objects: ObjectServer)
    /// bluetoothd has taken it.
    func registered()
    /// bluetoothd knows the objects no longer.
    func forget()
    /// Whether its time was over while nobody had it.
    var isOver: Bool { get }
}

/// Performs what a `RegistrationMachine` decides, for one service or one advertisement.
final class Publication {
    typealias Completion = (Result<Void, any Error>) -> Void

    private static let callLimit: Duration = .seconds(25)

    /// Told once when it ended without a call of the user; nil when its time was over.
    var onEnded: ((GATTServerError?) -> Void)?
    /// Called when `isRegistered` may have changed, before anybody is told.
    var onRegistration: (() -> Void)?
    /// Called once when nothing of it is left.
    var onDisposed: (() -> Void)?

    private let subject: any Publishable
    private let client: BlueZClient
    private let hub: ExportHub
    private let bluetoothState: () -> BluetoothState
    private var machine = RegistrationMachine<ObjectPath>()
    /// Where its objects are; nil while they are not on the bus.
    private(set) var exportedOn: ObjectServer?
    private var onBegun: Completion?
    private var onWithdrawn: [() -> Void] = []
    private var refusal: GATTServerError?

    init(
        _ subject: any Publishable,
        client: BlueZClient,
        hub: ExportHub,
        bluetoothState: @escaping () -> BluetoothState
    ) {
        self.subject = subject
        self.client = client
        self.hub = hub
        self.bluetoothState = bluetoothState
    }

    /// Whether bluetoothd knows it at present.
    var isRegistered: Bool { machine.isRegistered }
    /// Whether an adapter has it or was asked to take it.
    var isInUse: Bool { machine.isInUse }
    /// The adapter that has it or was asked to take it.
    var adapter: ObjectPath? { machine.adapter }

    /// Registers it at an adapter that is on; without one it waits, or fails when that is known.
    func begin(at adapter: ObjectPath?, isKnown: Bool, completion: @escaping Completion) {
        onBegun = completion
        perform(machine.begin(at: adapter, isKnown: isKnown))
    }

    func withdraw(completion: @escaping () -> Void) {
        onWithdrawn.append(completion)
        perform(machine.withdraw())
    }

    /// bluetoothd takes registrations at `adapter`.
    func available(at adapter: ObjectPath) {
        perform(machine.available(at: adapter, isOver: subject.isOver))
    }

    func unavailable() {
        perform(machine.unavailable())
    }

    func lost() {
        let actions = machine.lost()
        unexport()
        subject.forget()
        perform(actions)
    }

    func released(isFinal: Bool) {
        perform(machine.released(isFinal: isFinal))
    }

    /// Ends it at once, with its completions, when its owner goes away.
    func shutDown() {
        // One that is registered is unregistered by `withdraw`; one that may be taken yet is not.
        if let adapter, !machine.isRegistered { sendUnregister(at: adapter) { _ in } }
        withdraw {}
        lost()
    }

    // An action may call the user, who may call back in: the machine has returned by then.
    private func perform(_ actions: [RegistrationMachine<ObjectPath>.Action]) {
        onRegistration?()
        for action in actions {
            switch action {
            case .register(let adapter, let attempt): register(at: adapter, attempt)
            case .unregister(let adapter, let attempt): unregister(at: adapter, attempt)
            case .forsake(let adapter):
                subject.forget()
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
        client.call(
            adapter,
            subject.manager,
            "Register" + subject.kind,
            [.objectPath(subject.path), .properties([])],
            timeout: Self.callLimit
        ) { [weak self] result in
            self?.answered(result, from: adapter, attempt)
        }
    }

    private func answered(_ result: CallResult, from adapter: ObjectPath, _ attempt: Int) {
        guard case .failure(let error) = result else {
            let actions = machine.answered(.registered, attempt: attempt)
            if machine.isRegistered { subject.registered() }
            return perform(actions)
        }
        if error == .noReply {
            // It may still be taken later: nobody would know of it then.
            sendUnregister(at: adapter) { _ in }
        }
        refusal = refusal(error)
        perform(machine.answered(.refused, attempt: attempt))
    }

    private func refusal(_ error: BusError) -> GATTServerError {
        let state = bluetoothState()
        switch BlueZFailure(error) {
        case .daemonGone where state != .poweredOn, .adapterOff where state != .poweredOn,
            .gone where state != .poweredOn:
            return .bluetoothUnavailable(state)
        case .accessDenied(let text): return .bluetoothUnavailable(.unauthorized(text))
        case .timedOut: return .timedOut("Register" + subject.kind)
        default: return GATTServerError(error)
        }
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
        client.call(
            adapter,
            subject.manager,
            "Unregister" + subject.kind,
            [.objectPath(subject.path)],
            timeout: Self.callLimit,
            reply: reply
        )
    }

    private func completeBegin(_ outcome: RegistrationMachine<ObjectPath>.Outcome) {
        let completion = onBegun
        onBegun = nil
        switch outcome {
        case .registered: completion?(.success(()))
        case .withdrawn: completion?(.failure(GATTServerError.withdrawn))
        case .unavailable:
            completion?(.failure(GATTServerError.bluetoothUnavailable(bluetoothState())))
        case .refused:
            completion?(.failure(refusal ?? .bluetoothUnavailable(bluetoothState())))
        }
    }

    private func unexport() {
        if let exportedOn { subject.unexport(from: exportedOn) }
        exportedOn = nil
    }

    private func dispose() {
        unexport()
        subject.forget()
        let disposed = onDisposed
        onDisposed = nil
        disposed?()
    }
}

extension GATTServerError {
    /// What a refusal of bluetoothd means.
    init(_ error: BusError) {
        let prefix = "org.bluez.Error."
        switch (error.name, error.message) {
        case (prefix + "NotPermitted", "Maximum advertisements reached"):
            self = .tooManyAdvertisements
        case (prefix + "InvalidLength", _):
            self = .invalidAdvertisement("BlueZ says that it is too long")
        case (prefix + "Failed", "Failed to register advertisement"):
            self = .invalidAdvertisement(
                "the adapter refused it; one that is discoverable itself needs 3 bytes more"
            )
        default: self = .refused(name: error.name, message: error.message)
        }
    }
}
