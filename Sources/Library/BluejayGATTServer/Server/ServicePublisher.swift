internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

/// The services of a server: adds and removes them, and sends values to their subscribers.
final class ServicePublisher {
    typealias Completion = (Result<Void, any Error>) -> Void

    /// Called when a registration starts or has ended.
    var onChange: (() -> Void)?
    private let adapter: ServerAdapter
    private let publicState: LockedValue<ServerState>
    private let handlers: ServerHandlers
    private let log: Log
    let requests = CentralRequestLimiter()
    private var services: [ServiceRegistration] = []
    /// `nil` before the start and after the stop, like `centrals`.
    private var exporter: ObjectExporter?
    private var centrals: CentralTracker?

    init(_ adapter: ServerAdapter, _ context: ServerContext) {
        self.adapter = adapter
        publicState = context.publicState
        handlers = context.handlers
        log = context.log
        requests.onRejection = { [publicState] in publicState.value.rejectedRequestCount = $0 }
    }

    var registrations: [ObjectRegistration] { services.map(\.objectRegistration) }

    // MARK: The server

    func start(_ exporter: ObjectExporter, _ centrals: CentralTracker) {
        self.exporter = exporter
        self.centrals = centrals
    }

    func withdrawAll(_ group: CompletionGroup) {
        for service in services {
            group.enter { completion in
                service.objectRegistration.withdraw(completion: completion)
            }
        }
    }

    func shutDown() {
        for service in services { service.objectRegistration.shutDown() }
    }

    func end() {
        exporter = nil
        centrals = nil
    }

    // MARK: Services

    func add(_ service: LocalService, completion: @escaping Completion) {
        let completion = annotated(completion, .addService, ServiceIdentifier(uuid: service.uuid))
        do {
            try ServiceRules.check(service)
            try checkNotAdded(service)
        } catch {
            return completion(.failure(error))
        }
        guard let client = adapter.client, let exporter, let centrals, adapter.canPublish else {
            return completion(.failure(BluejayError.bluetoothUnavailable(.unknown)))
        }
        let context = ServiceContext(
            client: client,
            centrals: centrals,
            requests: requests,
            log: log
        )
        let registration = ServiceRegistration(service, exporter: exporter, context)
        let objectRegistration = registration.objectRegistration
        service.registration = registration
        services.append(registration)
        updateEligibleCentrals()
        objectRegistration.onUnregistered = { [weak registration] in registration?.forget() }
        objectRegistration.onEnded = { [weak self] failure in
            guard let self, let failure else { return }
            log.warning(
                "service lost: registration failed after a restart",
                ["service": "\(service.uuid)", "reason": "\(failure)"]
            )
            let error = BluejayError(failure, adapter.bluetoothState)
            handlers.onServiceEnded.applied?(
                service,
                error.during(.addService, service: ServiceIdentifier(uuid: service.uuid))
            )
        }
        objectRegistration.onDisposed = { [weak self, weak registration] in
            service.registration = nil
            registration?.detach()
            self?.services.removeAll { $0 === registration }
            self?.onChange?()
        }
        onChange?()
        adapter.register(objectRegistration, "service \(service.uuid)") { [weak self] result in
            let state = self?.adapter.bluetoothState ?? .unknown
            completion(result.mapError { BluejayError($0, state) })
        }
    }

    func remove(_ service: LocalService, completion: @escaping Completion) {
        let completion = annotated(
            completion,
            .removeService,
            ServiceIdentifier(uuid: service.uuid)
        )
        guard let registration = service.registration,
            services.contains(where: { $0 === registration })
        else { return completion(.failure(BluejayError.notAdded(service.uuid))) }
        registration.objectRegistration.withdraw { completion(.success(())) }
    }

    private func checkNotAdded(_ service: LocalService) throws {
        if service.isAdded {
            let isHere = services.contains { $0 === service.registration }
            throw Self.alreadyAdded(service.uuid, isElsewhere: !isHere)
        }
        var seen: Set<ObjectIdentifier> = []
        for characteristic in service.characteristics {
            guard seen.insert(ObjectIdentifier(characteristic)).inserted else {
                throw BluejayError.alreadyAdded(characteristic.uuid).withCause(
                    "the service contains the same \(characteristic.uuid) twice; create another "
                        + "LocalCharacteristic"
                )
            }
            if let handler = characteristic.requestHandler {
                let isHere = services.contains { $0.has(handler) }
                throw Self.alreadyAdded(characteristic.uuid, isElsewhere: !isHere)
            }
        }
    }

    // The server that publishes an object must be named: another one cannot remove it.
    private static func alreadyAdded(_ uuid: BluetoothUUID, isElsewhere: Bool) -> BluejayError {
        guard isElsewhere else { return .alreadyAdded(uuid) }
        return .alreadyAdded(uuid).withCause(
            "\(uuid) is published by another GATTServer; remove its service there first"
        )
    }

    /// Adds the call and the service to the error of a completion.
    private func annotated(
        _ completion: @escaping Completion,
        _ call: BluejayError.Call,
        _ service: ServiceIdentifier
    ) -> Completion {
        { result in
            completion(
                result.mapError { error in
                    (error as? BluejayError)?.during(call, service: service) ?? error
                }
            )
        }
    }

    // MARK: Notifications

    /// Sends a value to all subscribers.
    ///
    /// - Parameters:
    ///   - value: At most 512 bytes.
    ///   - characteristic: A characteristic of an added service.
    ///   - completion: Called once if the method returns true.
    /// - Returns: Whether the characteristic has a subscriber.
    /// - Throws: The reason that the value cannot be sent.
    func notify(
        _ value: Data,
        on characteristic: LocalCharacteristic,
        completion: Completion? = nil
    ) throws -> Bool {
        let value = try checked(value, characteristic)
        if let handler = characteristic.requestHandler {
            for service in services {
                let isSent = try service.send(value, of: handler, completion: completion)
                if let isSent { return isSent }
            }
        }
        throw BluejayError.notAdded(characteristic.uuid)
    }

    /// Sends a value to one central; `completion` is called once when nothing is thrown.
    func notify(
        _ value: Data,
        on characteristic: LocalCharacteristic,
        to central: PeripheralIdentifier,
        completion: Completion?
    ) throws {
        let value = try checked(value, characteristic)
        guard let handler = characteristic.requestHandler,
            services.contains(where: { $0.has(handler) })
        else { throw BluejayError.notAdded(characteristic.uuid) }
        guard let subscribers = handler.subscribers else {
            throw BluejayError.invalidProperties(
                characteristic.uuid,
                "its subscribers share one subscription; create it with subscriptions: .perCentral"
            )
        }
        // bluetoothd treats an empty packet as the end of the socket.
        guard !value.isEmpty else {
            throw BluejayError.notSupported("an empty value cannot be sent to a single central")
        }
        try subscribers.send(
            value,
            to: centrals?.path(of: central),
            central,
            completion: completion
        )
    }

    private func checked(_ value: Data, _ characteristic: LocalCharacteristic) throws -> Data {
        let value = try AttributeValueRules.checked(value)
        guard !characteristic.properties.isDisjoint(with: .subscribable) else {
            throw BluejayError.notSubscribable(characteristic.uuid)
        }
        return value
    }

    // MARK: Connected devices

    /// Passes the connected devices to the characteristics that address each subscriber.
    func updateEligibleCentrals() {
        let reach = reach
        publicState.value.addressing = reach == .oneSubscriber ? .unicast : .broadcast
        let now = centrals?.connectedPaths ?? []
        // BlueZ before 5.70 reports the first subscriber only: any connected device may be subscribed,
        // including a peripheral of this program. Later versions report each one.
        let eligibleCentrals = reportsEachSubscriber ? centrals?.centralPaths ?? [] : now
        for service in services {
            service.connectionsChanged(
                now,
                eligibleCentrals: eligibleCentrals,
                reach: reach,
                reportsEachSubscriber: reportsEachSubscriber
            )
        }
    }

    private var reach: NotifySockets.Machine.Reach {
        adapter.version?.addressesOneCentral ?? false ? .oneSubscriber : .allSubscribers
    }

    /// Whether BlueZ reports each subscribed central.
    var reportsEachSubscriber: Bool { adapter.version?.reportsEachSubscriber ?? false }

    func centralsChanged(_ changes: [CentralTracker.Change]) {
        updateEligibleCentrals()
        var balance = 0
        for change in changes {
            switch change {
            case .disconnected(let path, _):
                balance -= 1
                requests.forget(path)
                for service in services { service.centralDisconnected(path) }
            case .connected: balance += 1
            case .centralConnected, .centralDisconnected, .identified: break
            }
        }
        let count = centrals?.connected.count ?? 0
        let wasEmpty = count == balance
        guard wasEmpty != (count == 0) else { return }
        for service in services { service.centralsChanged(hasCentrals: count > 0) }
    }
}
