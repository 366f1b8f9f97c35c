internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib

/// Performs the decisions of an `AdvertisingStateMachine` for one advertisement of the user.
// Used on the server's main loop only, except for `publicState`: the invariant behind `@unchecked`.
final class AdvertisingSession: @unchecked Swift.Sendable {
    typealias Completion = (Result<Void, any Error>) -> Void
    private typealias Machine = AdvertisingStateMachine<RegistrationFailure>

    struct PublicState: Swift.Sendable {
        var advertisement: LocalAdvertisement
        var isActive = false
    }

    let publicState: LockedValue<PublicState>
    /// Called once if the advertisement ends without a call of the user.
    let onEnd = LoopProperty<((BluejayError?) -> Void)?>(nil)

    private weak var runner: AdvertisingRunner?
    private var machine = Machine()
    private var contents: [Machine.Version: LocalAdvertisement]
    private var lastVersion = 0
    private var registered: [Machine.Registration: ObjectRegistration] = [:]
    /// The ends of the timeouts of contents that have been advertised.
    private var endTimes: [Machine.Version: Duration] = [:]
    private var startCompletion: Completion?
    private var updateCompletions: [Machine.Version: Completion] = [:]
    private var stopCompletions: [() -> Void] = []
    private var actions: [Machine.Action] = []
    private var isPerforming = false

    init(_ advertisement: LocalAdvertisement, _ runner: AdvertisingRunner) {
        publicState = LockedValue(PublicState(advertisement: advertisement))
        contents = [0: advertisement]
        self.runner = runner
    }

    /// The registrations that bluetoothd may have, oldest first.
    var registrations: [ObjectRegistration] {
        registered.sorted { $0.key < $1.key }.map(\.value)
    }
    var isEnded: Bool { machine.isEnded }

    func start(completion: @escaping Completion) {
        startCompletion = completion
        perform { $0.start() }
    }

    func update(to advertisement: LocalAdvertisement, completion: @escaping Completion) {
        lastVersion += 1
        let version = lastVersion
        contents[version] = advertisement
        updateCompletions[version] = completion
        perform { $0.update(version) }
    }

    func stop(completion: @escaping () -> Void) {
        stopCompletions.append(completion)
        perform { $0.stop() }
    }

    func shutDown() {
        onEnd.replace(with: nil)
        let remaining = registrations
        stop {}
        for publication in remaining { publication.shutDown() }
    }

    /// Handles a new connection on an adapter that stops advertising when a central connects.
    func connected() {
        let advertisement = publicState.value.advertisement
        guard advertisement.keepsAdvertising, advertisement.isConnectable, isRegistered else {
            return
        }
        perform { $0.connected() }
    }

    func retry() {
        perform { $0.retry() }
    }

    // A registration that bluetoothd has lost is renewed by `ObjectRegistration`.
    private var isRegistered: Bool {
        machine.registration.flatMap { registered[$0]?.isRegistered } ?? false
    }

    // MARK: Performing

    // A callback may cause further events: their actions are performed afterwards.
    private func perform(_ event: (inout Machine) -> [Machine.Action]) {
        machine.hasRoom = runner?.hasRoom ?? true
        actions += event(&machine)
        guard !isPerforming else { return }
        isPerforming = true
        while !actions.isEmpty { perform(actions.removeFirst()) }
        isPerforming = false
        updatePublicState()
    }

    private func perform(_ action: Machine.Action) {
        updatePublicState()
        switch action {
        case .register(let registration, let version): register(registration, version)
        case .withdraw(let registration): registered[registration]?.withdraw {}
        case .completeStart(let outcome):
            let completion = startCompletion
            startCompletion = nil
            completion?(result(outcome))
        case .completeUpdate(let version, let outcome):
            contents = contents.filter { $0.key == machine.version || $0.key > version }
            updateCompletions.removeValue(forKey: version)?(result(outcome))
        case .reportEnded(let failure):
            let end = onEnd.replace(with: nil)
            end?(failure.map { runner?.error($0) ?? .cancelled })
        case .completeStop: stopCompletions.removeFirst()()
        case .dispose: runner?.dispose(self)
        }
    }

    private func register(_ registration: Machine.Registration, _ version: Machine.Version) {
        guard let runner, let content = contents[version],
            let (object, publication) = runner.makeRegistration(
                of: content,
                endTime: endTimes[version]
            )
        else {
            perform { $0.removed(registration) }
            return perform { $0.started(registration, .unavailable) }
        }
        registered[registration] = publication
        publication.onRegistrationChange = { [weak self] in self?.updatePublicState() }
        publication.onEnded = { [weak self, weak runner] failure in
            runner?.logEnd(failure)
            self?.perform { $0.ended(registration, failure) }
        }
        publication.onUnregistered = { [weak self] in self?.machine.lost(registration) }
        publication.onDisposed = { [weak self] in
            self?.disposed(registration)
        }
        runner.start(publication) { [weak self, weak object] result in
            guard let self else { return }
            if let end = object?.endTime { endTimes = [version: end] }
            switch result {
            case .success: perform { $0.started(registration, nil) }
            case .failure(let failure):
                let isFull = failure == .tooManyAdvertisements
                perform { $0.started(registration, failure, isFull: isFull) }
            }
        }
    }

    private func disposed(_ registration: Machine.Registration) {
        registered[registration] = nil
        perform { $0.removed(registration) }
        runner?.registrationsChanged()
    }

    private func updatePublicState() {
        let isActive = !machine.isEnded && registrations.contains(where: \.isRegistered)
        if let content = contents[machine.version], content != publicState.value.advertisement {
            publicState.value.advertisement = content
        }
        if isActive != publicState.value.isActive { publicState.value.isActive = isActive }
        runner?.updatePublicState()
    }

    private func result(_ outcome: Machine.Outcome) -> Result<Void, any Error> {
        switch outcome {
        case .succeeded: .success(())
        case .cancelled: .failure(BluejayError.cancelled.during(.advertise))
        case .failed(let failure): .failure(runner?.error(failure) ?? BluejayError.cancelled)
        }
    }
}
