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

    private weak var publisher: AdvertisementPublisher?
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

    init(_ advertisement: LocalAdvertisement, _ publisher: AdvertisementPublisher) {
        publicState = LockedValue(PublicState(advertisement: advertisement))
        contents = [0: advertisement]
        self.publisher = publisher
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
        for registration in remaining { registration.shutDown() }
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
        machine.hasRoom = publisher?.hasRoom ?? true
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
        case .register(let number, let version): register(number, version)
        case .withdraw(let number): registered[number]?.withdraw {}
        case .completeStart(let outcome):
            let completion = startCompletion
            startCompletion = nil
            completion?(result(outcome))
        case .completeUpdate(let version, let outcome):
            contents = contents.filter { $0.key == machine.version || $0.key > version }
            updateCompletions.removeValue(forKey: version)?(result(outcome))
        case .reportEnded(let failure):
            let end = onEnd.replace(with: nil)
            end?(failure.map { publisher?.error($0) ?? .cancelled })
        case .completeStop: stopCompletions.removeFirst()()
        case .dispose: publisher?.dispose(self)
        }
    }

    private func register(_ number: Machine.Registration, _ version: Machine.Version) {
        guard let publisher, let content = contents[version],
            let (object, registration) = publisher.makeRegistration(
                of: content,
                endTime: endTimes[version]
            )
        else {
            perform { $0.removed(number) }
            return perform { $0.started(number, .unavailable) }
        }
        registered[number] = registration
        registration.onRegistrationChange = { [weak self] in self?.updatePublicState() }
        registration.onEnded = { [weak self, weak publisher] failure in
            publisher?.logEnd(failure)
            self?.perform { $0.ended(number, failure) }
        }
        registration.onUnregistered = { [weak self] in self?.machine.lost(number) }
        registration.onDisposed = { [weak self] in self?.disposed(number) }
        publisher.start(registration) { [weak self, weak object] result in
            guard let self else { return }
            if let end = object?.endTime { endTimes = [version: end] }
            switch result {
            case .success: perform { $0.started(number, nil) }
            case .failure(let failure):
                let isFull = failure == .tooManyAdvertisements
                perform { $0.started(number, failure, isFull: isFull) }
            }
        }
    }

    private func disposed(_ number: Machine.Registration) {
        registered[number] = nil
        perform { $0.removed(number) }
        publisher?.registrationsChanged()
    }

    private func updatePublicState() {
        let isActive = !machine.isEnded && registrations.contains(where: \.isRegistered)
        if let content = contents[machine.version], content != publicState.value.advertisement {
            publicState.value.advertisement = content
        }
        if isActive != publicState.value.isActive { publicState.value.isActive = isActive }
        publisher?.updatePublicState()
    }

    private func result(_ outcome: Machine.Outcome) -> Result<Void, any Error> {
        switch outcome {
        case .succeeded: .success(())
        case .cancelled: .failure(BluejayError.cancelled.during(.advertise))
        case .failed(let failure): .failure(publisher?.error(failure) ?? BluejayError.cancelled)
        }
    }
}
