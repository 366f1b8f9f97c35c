internal import BluejayBlueZ
internal import BluejayGLib
internal import FoundationEssentials

// A class, because a structure would be copied for each value.
private final class ValueReceiver {
    let characteristic: CharacteristicIdentifier
    let handler: (ListenEvent) -> Void

    init(_ characteristic: CharacteristicIdentifier, _ handler: @escaping (ListenEvent) -> Void) {
        self.characteristic = characteristic
        self.handler = handler
    }
}

/// The listens of one instance: which listener receives the values of which characteristic.
final class ListenRegistry {
    typealias ID = QueueStateMachine.ID

    /// The pauses of a kept listen that bluetoothd refuses, about three minutes in all.
    private static let refusalPauses = Backoff(maximumDelay: .seconds(30))
    private static let maximumRefusalCount = 10

    /// Whether every listener receives the error that ends the connection.
    var broadcastsErrors = false
    /// Receives the values of one characteristic, and the end of its notifications, beside a listener.
    var onAnswer:
        (
            characteristic: CharacteristicIdentifier,
            receive: (Result<Data, BluejayError>) -> Void
        )?

    private var machine = ListenStateMachine<CharacteristicIdentifier>() {
        didSet {
            lastReceiver = nil
            statePublisher.setPeripheralNeedsPublishing()
        }
    }
    private var listeners: [ID: Listener] = [:] { didSet { lastReceiver = nil } }
    /// The receiver of the last value, because most values are of the same characteristic; saves 550
    /// instructions for each.
    private var lastReceiver: ValueReceiver?
    private var notifications = ActiveNotifications()
    /// Kept listens whose connection was just reestablished.
    private var listensToResume: [CharacteristicIdentifier] = []
    /// The listens for which background tasks wait.
    private var taskListens: [SynchronizedListen] = []
    /// The error of the next end of the listens, in place of the queue's.
    private var overridingError: (any Error)?
    private let queue: QueueRunner
    private let link: ConnectedLink
    private let restoration: RestorationController
    private let scheduler: StepScheduler
    private let statePublisher: StatePublisher
    private let clock: any EventClock
    private let log: InstanceLog

    init(
        _ shared: InstanceContext,
        queue: QueueRunner,
        link: ConnectedLink,
        restoration: RestorationController
    ) {
        self.queue = queue
        self.link = link
        self.restoration = restoration
        scheduler = shared.scheduler
        statePublisher = shared.statePublisher
        clock = shared.clock
        log = shared.log
    }

    /// The characteristics with a listen, for any thread.
    var characteristics: Set<CharacteristicIdentifier> { Set(machine.keys) }

    func isListening(to characteristic: CharacteristicIdentifier) -> Bool {
        machine.keys.containsMatch(of: characteristic)
    }

    /// Returns whether a listen is set up and connected.
    func isInstalled(_ id: ID, to characteristic: CharacteristicIdentifier) -> Bool {
        queue.isConnected && machine.receiverID(for: key(of: id, characteristic)) == id
    }

    /// The key of listens to a characteristic: its identifier with the service, if that is known.
    private func key(of characteristic: CharacteristicIdentifier) -> CharacteristicIdentifier {
        guard characteristic.service.isAny else { return characteristic }
        if let found = link.link?.characteristic(characteristic) { return found.identifier }
        let keys = machine.keys.filter { $0.uuid == characteristic.uuid }
        return keys.count == 1 ? keys[0] : characteristic
    }

    /// The key of one listen, which was made by this identifier.
    private func key(
        of id: ID,
        _ characteristic: CharacteristicIdentifier
    ) -> CharacteristicIdentifier {
        guard characteristic.service.isAny else { return characteristic }
        return machine.key(of: id) ?? characteristic
    }

    /// Moves a listen that was made by a UUID alone to its characteristic, if that is known now.
    ///
    /// - Returns: The key, or `nil` if another listen to the characteristic forbids it.
    private func moveToService(_ key: CharacteristicIdentifier) -> CharacteristicIdentifier? {
        guard key.service.isAny, let found = link.link?.characteristic(key)?.identifier else {
            return key
        }
        return machine.move(key, to: found) ? found : nil
    }

    func save() {
        guard !restoration.isInProgress, let peripheral = link.peripheral else { return }
        restoration.save(peripheral, machine.installedKeys)
    }

    // MARK: Calls

    /// Adds a listen, and returns the operation of its set-up.
    @discardableResult
    func listen(
        _ characteristic: CharacteristicIdentifier,
        _ option: MultipleListenOption,
        isKept: Bool = false,
        timeout: Timeout = .none,
        _ listener: Listener
    ) -> ID {
        let characteristic = key(of: characteristic)
        let id = queue.nextID
        let operation = ListenOperation(
            ErrorSubject(.listen, characteristic),
            timeout: timeout,
            perform: { [weak self] in self?.setUp(characteristic, id, $0) },
            completion: { [weak self] in self?.setUpCompleted(characteristic, id, $0) }
        )
        _ = queue.add(operation)
        listeners[id] = listener
        // A rejection by the queue precedes the rules about other listens.
        if let rejection = queue.rejection(of: operation.kind) {
            queue.reject(id, rejection)
            return id
        }
        guard machine.requested(characteristic, id, option: option, isKept: isKept) else {
            queue.reject(id, .multipleListenTrapped)
            return id
        }
        queue.submit(id, operation)
        return id
    }

    /// Removes the listener and turns off its notifications; `error` is a last event for the listener.
    func endListen(
        _ characteristic: CharacteristicIdentifier,
        timeout: Timeout = .none,
        error: (any Error)? = nil,
        _ completion: ((WriteResult) -> Void)?
    ) {
        let characteristic = key(of: characteristic)
        let listener = machine.receiverID(for: characteristic).flatMap { listeners[$0] }
        defer { if let error { listener?.handler(.ended(error)) } }
        // A kept listen that waits for a connection can end without one.
        if !queue.isConnected, machine.isListening(to: characteristic) {
            removeListeners(of: characteristic)
            return scheduler.completeOnNextIteration { completion?(.success) }
        }
        let operation = endOperation(characteristic, timeout: timeout, completion)
        queue.enqueue(operation) {
            restoration.markHandled(characteristic)
            removeListeners(of: characteristic)
            save()
        }
    }

    /// Ends one listen and its notifications; other listens to the characteristic stay.
    func endListen(
        _ characteristic: CharacteristicIdentifier,
        of id: ID,
        _ completion: @escaping (WriteResult) -> Void
    ) {
        let characteristic = key(of: id, characteristic)
        if machine.receiverID(for: characteristic) == id {
            return endListen(characteristic, completion)
        }
        guard machine.isCandidate(characteristic, id) else { return completion(.success) }
        listeners[id] = nil
        queue.cancel(id, .cancelled)
        // Turns off notifications that may be on, unless another listener uses them.
        queue.enqueue(endOperation(characteristic, completion))
    }

    /// Ends one listen, whose listener receives no more events; other listens stay.
    func endListen(only id: ID, to characteristic: CharacteristicIdentifier) {
        let characteristic = key(of: id, characteristic)
        // A set-up that bluetoothd is performing turns itself off when it completes.
        if machine.isCandidate(characteristic, id) {
            listeners[id] = nil
            return queue.cancel(id, .cancelled)
        }
        guard machine.receiverID(for: characteristic) == id else { return }
        listeners[id] = nil
        machine.endRequested(characteristic, of: id)
        save()
        // Has no effect if another listen has taken over by then.
        queue.enqueue(endOperation(characteristic, nil))
    }

    private func endOperation(
        _ characteristic: CharacteristicIdentifier,
        timeout: Timeout = .none,
        _ completion: ((WriteResult) -> Void)?
    ) -> ListenOperation {
        ListenOperation(
            ErrorSubject(.endListen, characteristic),
            kind: .endOfListen,
            timeout: timeout,
            perform: { [weak self] in self?.stopNotifying(characteristic, $0) },
            completion: { completion?($0.map { .failure($0) } ?? .success) }
        )
    }

    private func startOperation(
        _ characteristic: CharacteristicIdentifier,
        _ completion: @escaping ((any Error)?) -> Void
    ) -> ListenOperation {
        ListenOperation(
            ErrorSubject(.listen, characteristic),
            perform: { [weak self] in self?.restartNotifying(characteristic, $0) },
            completion: completion
        )
    }

    /// Ends the listens that were made after `last`.
    func cancelListens(after last: ID) {
        for characteristic in machine.installedKeys {
            guard let id = machine.receiverID(for: characteristic), id > last else { continue }
            let listener = listeners[id]
            endListen(only: id, to: characteristic)
            listener?.handler(.ended(BluejayError.cancelled))
        }
    }

    /// Turns on a listen of the previous run; its values go to the listen restorer.
    func restore(_ characteristic: CharacteristicIdentifier) {
        queue.enqueue(
            startOperation(characteristic) { [weak self] error in
                guard let self, let error else { return }
                restoration.markHandled(characteristic)
                log.restoration.warning(
                    "listen restoration failed",
                    ["characteristic": "\(characteristic)", "error": "\(error)"]
                )
            }
        )
    }

    private func removeListeners(of characteristic: CharacteristicIdentifier) {
        for id in machine.endRequested(characteristic) { listeners[id] = nil }
    }

    private func failListeners(of characteristic: CharacteristicIdentifier, _ error: any Error) {
        for id in machine.endRequested(characteristic) {
            listeners.removeValue(forKey: id)?.handler(.failure(error))
        }
    }

    // MARK: Background tasks

    func add(_ listen: SynchronizedListen) { taskListens.append(listen) }

    func remove(_ listen: SynchronizedListen) { taskListens.removeAll { $0 === listen } }

    func endTaskListens(_ error: any Error) {
        for listen in taskListens { listen.end(error) }
    }

    // MARK: Operations

    /// Sets up a listen, in its turn.
    private func setUp(
        _ characteristic: CharacteristicIdentifier,
        _ id: ID,
        _ completion: @escaping (BluejayError?) -> Void
    ) {
        let key = key(of: id, characteristic)
        // The listen ended before its turn.
        guard machine.isCandidate(key, id) else { return completion(nil) }
        guard let characteristic = moveToService(key) else {
            return completion(.multipleListenTrapped)
        }
        let path = listeners[id]?.path ?? .signals
        startNotifying(characteristic, through: path) { [weak self] error in
            if error == nil { self?.install(characteristic, id) }
            completion(error)
        }
    }

    /// Reports a set-up, or removes a listen whose set-up failed or was cancelled.
    private func setUpCompleted(
        _ characteristic: CharacteristicIdentifier,
        _ id: ID,
        _ error: (any Error)?
    ) {
        guard let error else { return listeners[id]?.handler(.setUpCompleted) ?? () }
        let characteristic = key(of: id, characteristic)
        machine.failed(characteristic, id)
        // The listen was cancelled after its set-up and before its completion.
        let wasInstalled = machine.receiverID(for: characteristic) == id
        if wasInstalled { machine.endRequested(characteristic, of: id) }
        listeners.removeValue(forKey: id)?.handler(.failure(error))
        if wasInstalled { endUnusedListen(characteristic) }
    }

    /// Turns the notifications of an installed listen on again, in its turn.
    func restartNotifying(
        _ characteristic: CharacteristicIdentifier,
        _ completion: @escaping (BluejayError?) -> Void
    ) {
        let listener = machine.receiverID(for: characteristic).flatMap { listeners[$0] }
        startNotifying(characteristic, through: listener?.path ?? .signals, completion)
    }

    /// Turns off the notifications, in its turn, unless a listener exists.
    private func stopNotifying(
        _ characteristic: CharacteristicIdentifier,
        _ completion: @escaping (BluejayError?) -> Void
    ) {
        guard machine.receiverID(for: characteristic) == nil, let lease = link.lease,
            let request = notifications.remove(characteristic)
        else { return completion(link.ambiguity(of: characteristic)) }
        lease.unsubscribe(request) { [weak self] result in
            switch result {
            case .success: completion(nil)
            case .failure(let failure):
                completion(self?.link.error(failure, on: characteristic))
            }
        }
    }

    private func install(_ characteristic: CharacteristicIdentifier, _ id: ID) {
        // The listen was cancelled during its set-up.
        guard machine.isCandidate(characteristic, id) else {
            return endUnusedListen(characteristic)
        }
        restoration.markHandled(characteristic)
        if let replaced = machine.started(characteristic, id) {
            let error = BluejayError.multipleListenReplaced
            let listener = listeners.removeValue(forKey: replaced)
            // If the notifications are on, this code runs inside the call of the new listener.
            scheduler.completeOnNextIteration { listener?.handler(.failure(error)) }
        }
        listeners[id]?.handler(.installed)
        save()
    }

    /// Turns off notifications that no listener uses.
    func endUnusedListen(_ characteristic: CharacteristicIdentifier) {
        guard !machine.isListening(to: characteristic), queue.isConnected else { return }
        endListen(characteristic, nil)
    }

    private func startNotifying(
        _ characteristic: CharacteristicIdentifier,
        through path: ListenTransport,
        _ completion: @escaping (BluejayError?) -> Void
    ) {
        guard !notifications.isOn(characteristic) else { return completion(nil) }
        link.resolve(characteristic, completion) { lease, object in
            guard object.canNotify else {
                return completion(
                    .notSupported("the characteristic neither notifies nor indicates")
                )
            }
            // The reply to an abandoned set-up must not complete this one.
            if let pending = notifications.remove(characteristic) {
                lease.unsubscribe(pending) { _ in }
            }
            let token = notifications.start(characteristic)
            let request = lease.subscribe(object, throughSocket: path == .socket) {
                [weak self] value in
                self?.deliver(value, of: characteristic)
            } onEnd: { [weak self] failure in
                self?.notificationsEnded(characteristic, token, failure)
            } completion: { [weak self] result in
                guard let self else { return }
                switch result {
                case .success:
                    notifications.replied(characteristic, token, isOn: true)
                    completion(nil)
                case .failure(let failure):
                    notifications.replied(characteristic, token, isOn: false)
                    completion(link.error(failure, on: object, needing: [.notify, .indicate]))
                }
            }
            notifications.requested(characteristic, token, request)
        }
    }

    // MARK: Values

    private func deliver(_ value: Data, of characteristic: CharacteristicIdentifier) {
        if let onAnswer, onAnswer.characteristic == characteristic {
            onAnswer.receive(.success(value))
            guard machine.receiverID(for: characteristic) != nil else { return }
        }
        if let lastReceiver, lastReceiver.characteristic == characteristic {
            lastReceiver.handler(.value(value))
        } else if let id = machine.receiverID(for: characteristic) {
            guard let listener = listeners[id] else { return }
            lastReceiver = ValueReceiver(characteristic, listener.handler)
            listener.handler(.value(value))
        } else if machine.isListening(to: characteristic) {
            log.connection.debug(
                "value discarded: listen not installed",
                ["characteristic": "\(characteristic)", "bytes": "\(value.count)"]
            )
        } else {
            restoration.received(value, on: characteristic, from: link.peripheral) { [weak self] in
                // An actor decides later, when there may be a listener.
                guard let self, !machine.isListening(to: characteristic) else { return }
                endListen(characteristic, nil)
            }
        }
    }

    // MARK: Ends

    /// Makes the next `connectionEnded` report `error` instead of the queue's error.
    func overrideEnd(with error: any Error) { overridingError = error }

    /// Ends the listens on behalf of the queue.
    func connectionEnded(_ error: BluejayError, mayReconnect: Bool) {
        endAll(overridingError ?? error, mayReconnect: mayReconnect)
        overridingError = nil
    }

    func endAll(_ error: any Error, mayReconnect: Bool) {
        notifications.removeAll()
        restoration.linkEnded()
        let retained = mayReconnect ? machine.retainedIDs : []
        for id in machine.linkEnded(mayReconnect: mayReconnect) { end(id, error) }
        guard broadcastsErrors else { return }
        // A listener that always receives its end would mistake this error for the end.
        for id in retained where listeners[id]?.receivesEnd == false {
            listeners[id]?.handler(.ended(error))
        }
    }

    /// Ends the kept listens, because the connection does not return.
    func endRetainedListens() {
        guard !queue.isConnected else { return }
        for id in machine.linkEnded() { end(id, BluejayError.notConnected) }
    }

    /// Reports an error to all listeners, which stay, if errors are broadcast.
    func broadcast(_ error: any Error) {
        guard broadcastsErrors else { return }
        for characteristic in machine.installedKeys {
            // A listener whose set-up is pending ends with its operation.
            guard let id = machine.receiverID(for: characteristic), !queue.contains(id) else {
                continue
            }
            listeners[id]?.handler(.ended(error))
        }
    }

    func removeAll() { listeners = [:] }

    private func end(_ id: ID, _ error: any Error) {
        guard let listener = listeners.removeValue(forKey: id) else { return }
        if broadcastsErrors || listener.receivesEnd { listener.handler(.ended(error)) }
    }

    private func notificationsEnded(
        _ characteristic: CharacteristicIdentifier,
        _ token: Int,
        _ failure: BlueZFailure
    ) {
        guard failure != .objectRemoved else {
            return notifications.characteristicRemoved(characteristic, token)
        }
        notifications.replied(characteristic, token, isOn: false)
        let error = link.error(failure, on: characteristic)
        if let onAnswer, onAnswer.characteristic == characteristic {
            onAnswer.receive(.failure(error))
        }
        failListeners(of: characteristic, error)
        save()
    }

    // MARK: Kept listens

    /// Prepares for a new connection; `isSame` if it reestablishes the lost connection.
    func connected(isSame: Bool) {
        listensToResume = isSame ? machine.installedKeys : []
        if !isSame { endAll(BluejayError.notConnected, mayReconnect: false) }
        // A refused listen fails in its turn.
        for key in Array(machine.keys) { _ = moveToService(key) }
    }

    func resume() {
        for characteristic in listensToResume { resume(characteristic) }
        listensToResume = []
    }

    /// Updates listens after a change of the services.
    ///
    /// Kept listens follow their characteristics; other listens to missing characteristics end.
    func servicesChanged() {
        for characteristic in notifications.drainRemoved() {
            if let onAnswer, onAnswer.characteristic == characteristic {
                onAnswer.receive(.failure(link.missingError(characteristic)))
            }
            guard isRetained(characteristic) else {
                let error = link.missingError(characteristic)
                for id in machine.endRequested(characteristic) { end(id, error) }
                continue
            }
            awaitCharacteristic(of: characteristic)
        }
        resumeMoved()
        save()
    }

    /// Turns a kept listen on again; may wait for a missing characteristic, and for bluetoothd.
    private func resume(
        _ characteristic: CharacteristicIdentifier,
        mayWait: Bool = true,
        refusals: Int = 0
    ) {
        queue.enqueue(
            startOperation(characteristic) { [weak self] error in
                // If the link is lost again, the listen waits for the next link.
                guard let self, let error, queue.isConnected else { return }
                let isRetained = isRetained(characteristic)
                if mayWait, isRetained, error.isMissingCharacteristic {
                    return awaitCharacteristic(of: characteristic)
                }
                if isRetained, refusals < Self.maximumRefusalCount, error.isTemporaryRefusal {
                    return retry(characteristic, refusals + 1)
                }
                failListeners(of: characteristic, error)
            }
        )
    }

    private func retry(_ characteristic: CharacteristicIdentifier, _ refusals: Int) {
        let pause = Self.refusalPauses.delay(afterFailures: refusals)
        notifications.retryTimers[characteristic] = clock.schedule(after: pause) { [weak self] in
            guard let self, queue.isConnected, isRetained(characteristic) else { return }
            resume(characteristic, refusals: refusals)
        }
    }

    private func awaitCharacteristic(of characteristic: CharacteristicIdentifier) {
        notifications.moved.characteristicRemoved(characteristic, now: clock.now)
        followMoved()
    }

    private func resumeMoved() {
        guard let lease = link.lease else { return }
        let back = notifications.moved.removeReturned { lease.link.characteristic($0) != nil }
        for characteristic in back where isRetained(characteristic) { resume(characteristic) }
        followMoved()
    }

    private func followMoved() {
        guard let deadline = notifications.moved.deadline else {
            return notifications.moveTimer = nil
        }
        let time = max(deadline - clock.now, .zero)
        notifications.moveTimer = clock.schedule(after: time) { [weak self] in
            guard let self else { return }
            let late = notifications.moved.removeExpired(now: clock.now)
            // The last attempt reports the missing service or characteristic.
            for characteristic in late where isRetained(characteristic) {
                resume(characteristic, mayWait: false)
            }
            followMoved()
        }
    }

    private func isRetained(_ characteristic: CharacteristicIdentifier) -> Bool {
        machine.receiverID(for: characteristic).map { machine.retainedIDs.contains($0) } ?? false
    }
}
