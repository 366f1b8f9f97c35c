internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib

/// Performs the decisions of an `AdvertisingStateMachine` for one advertisement of the user.
// Used on the server's main loop only, except for `shown`: the invariant behind `@unchecked`.
final class AdvertisingSession: @unchecked Swift.Sendable {
    typealias Completion = (Result<Void, any Error>) -> Void
    private typealias Machine = AdvertisingStateMachine<RegistrationFailure>

    struct Shown: Swift.Sendable {
        var advertisement: LocalAdvertisement
        var isActive = false
    }

    let shown: Snapshot<Shown>
    /// Called once if the advertisement ends without a call of the user.
    let onEnd = LoopProperty<((BluejayError?) -> Void)?>(nil)

    private weak var runner: AdvertisingRunner?
    private var machine = Machine()
    private var contents: [Machine.Version: LocalAdvertisement]
    private var lastVersion = 0
    private var registered: [Machine.Registration: ObjectRegistration] = [:]
    /// The ends of the timeouts of contents that have been advertised.
    private var ends: [Machine.Version: Duration] = [:]
    private var onBegun: Completion?
    private var onUpdated: [Machine.Version: Completion] = [:]
    private var onStopped: [() -> Void] = []
    private var actions: [Machine.Action] = []
    private var isPerforming = false

    init(_ advertisement: LocalAdvertisement, _ runner: AdvertisingRunner) {
        shown = Snapshot(Shown(advertisement: advertisement))
        contents = [0: advertisement]
        self.runner = runner
    }

    /// The registrations that bluetoothd may have, oldest first.
    var publications: [ObjectRegistration] {
        registered.sorted { $0.key < $1.key }.map(\.value)
    }
    var isEnded: Bool { machine.isEnded }

    func begin(completion: @escaping Completion) {
        onBegun = completion
        perform { $0.begin() }
    }

    func update(to advertisement: LocalAdvertisement, completion: @escaping Completion) {
        lastVersion += 1
        let version = lastVersion
        contents[version] = advertisement
        onUpdated[version] = completion
        perform { $0.update(version) }
    }

    func stop(completion: @escaping () -> Void) {
        onStopped.append(completion)
        perform { $0.stop() }
    }

    func shutDown() {
        onEnd.replace(with: nil)
        let left = publications
        stop {}
        for publication in left { publication.shutDown() }
    }

    /// Handles a new connection on an adapter that stops advertising when a central connects.
    func connected() {
        let advertisement = shown.value.advertisement
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
        show()
    }

    private func perform(_ action: Machine.Action) {
        show()
        switch action {
        case .begin(let registration, let version): begin(registration, version)
        case .withdraw(let registration): registered[registration]?.withdraw {}
        case .completeBegin(let outcome):
            let completion = onBegun
            onBegun = nil
            completion?(result(outcome))
        case .completeUpdate(let version, let outcome):
            contents = contents.filter { $0.key == machine.version || $0.key > version }
            onUpdated.removeValue(forKey: version)?(result(outcome))
        case .tellEnded(let failure):
            let end = onEnd.replace(with: nil)
            end?(failure.map { runner?.error($0) ?? .cancelled })
        case .completeStop: onStopped.removeFirst()()
        case .dispose: runner?.dispose(self)
        }
    }

    private func begin(_ registration: Machine.Registration, _ version: Machine.Version) {
        guard let runner, let content = contents[version],
            let (object, publication) = runner.publication(of: content, end: ends[version])
        else {
            perform { $0.gone(registration) }
            return perform { $0.begun(registration, .unavailable) }
        }
        registered[registration] = publication
        publication.onRegistration = { [weak self] in self?.show() }
        publication.onEnded = { [weak self, weak runner] failure in
            runner?.noteEnd(failure)
            self?.perform { $0.ended(registration, failure) }
        }
        publication.onForgotten = { [weak self] in self?.machine.lost(registration) }
        publication.onDisposed = { [weak self] in
            self?.disposed(registration)
        }
        runner.begin(publication) { [weak self, weak object] result in
            guard let self else { return }
            if let end = object?.end { ends = [version: end] }
            switch result {
            case .success: perform { $0.begun(registration, nil) }
            case .failure(let failure):
                let isFull = failure == .tooManyAdvertisements
                perform { $0.begun(registration, failure, isFull: isFull) }
            }
        }
    }

    private func disposed(_ registration: Machine.Registration) {
        registered[registration] = nil
        perform { $0.gone(registration) }
        runner?.registrationsChanged()
    }

    private func show() {
        let isActive = !machine.isEnded && publications.contains(where: \.isRegistered)
        if let content = contents[machine.version], content != shown.value.advertisement {
            shown.value.advertisement = content
        }
        if isActive != shown.value.isActive { shown.value.isActive = isActive }
        runner?.show()
    }

    private func result(_ outcome: Machine.Outcome) -> Result<Void, any Error> {
        switch outcome {
        case .done: .success(())
        case .cancelled: .failure(BluejayError.cancelled.during(.advertise))
        case .failed(let failure): .failure(runner?.error(failure) ?? BluejayError.cancelled)
        }
    }
}
