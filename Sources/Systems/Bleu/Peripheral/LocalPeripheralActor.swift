internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGATTServer
internal import BluejayGLib
internal import FoundationEssentials

/// The serving side of a system: services, advertisements and the calls of centrals.
actor LocalPeripheralActor {
    private let configuration: BleuConfiguration
    private let host: BluetoothHost
    private var parts: Parts?
    private var services: [String: ActorService] = [:]
    /// The advertised actors, in the order of their starts.
    private var advertised: [(name: String, advertisement: ActorAdvertisement)] = []
    private var isBusy = false
    private var waiters: [CheckedContinuation<Void, Never>] = []
    /// Ends the wait for the engine in the present call.
    private var present: Rendezvous<Result<Void, any Error>>?
    private var isClosed = false
    /// Whether the loop has stopped, possibly before its first use here.
    private var isEnded: Bool { isClosed || host.mainLoop.context.isEnding }

    /// The objects that exist from the first call on.
    private struct Parts {
        let context: PeripheralContext
        let centrals: ConnectedCentrals
        let shutdownHook: ShutdownHook
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { host.mainLoop.executor }

    init(_ configuration: BleuConfiguration, _ host: BluetoothHost) {
        self.configuration = configuration
        self.host = host
    }

    isolated deinit {
        parts?.centrals.endAll()
        parts?.context.server.stop()
    }

    // MARK: Calls

    /// Serves and advertises an actor; returns when bluetoothd advertises it.
    ///
    /// - Throws: `BleuRegistrationError`, or `BleuError` if Bluetooth is unavailable. The actor is then neither
    ///   served nor advertised, unless it was before.
    func startAdvertising(_ actor: LocalActor) async throws {
        await startCall()
        defer { endCall() }
        guard !isEnded else { throw BleuError.bluetoothUnavailable }
        try await start(actor)
    }

    /// Ends all advertisements; the actors stay served for connected centrals.
    func stopAdvertising() async throws {
        await startCall()
        defer { endCall() }
        let ended = advertised
        advertised = []
        for (name, advertisement) in ended {
            services[name]?.actor.retained = nil
            try? await completed { done in advertisement.stop { done(.success(())) } }
        }
    }

    /// Changes the advertisement of the actor that was started last.
    func updateAdvertisement(_ data: AdvertisementData) async throws {
        await startCall()
        defer { endCall() }
        guard let last = advertised.last?.advertisement else {
            throw BleuRegistrationError.notAdvertising
        }
        try await completed { last.update(data, $0) }
    }

    /// Whether a device is a central of this system.
    func isServing(_ device: UUID) -> Bool { parts?.centrals.contains(device) ?? false }

    /// Removes the service of an actor that the program has released.
    func released(_ id: UUID) {
        guard let name = services.first(where: { $1.actor.id == id })?.key,
            !advertised.contains(where: { $0.name == name })
        else { return }
        services.removeValue(forKey: name)?.remove()
    }

    /// Ends all calls, services and advertisements when the loop stops.
    private func close(_ completion: @escaping () -> Void) {
        isClosed = true
        present?.send(.failure(BleuError.bluetoothUnavailable))
        services = [:]
        advertised = []
        parts?.centrals.endAll()
        guard let parts else { return completion() }
        parts.context.server.stop(completion: completion)
    }

    // MARK: Steps

    private func start(_ actor: LocalActor) async throws {
        guard configuration.encryption != .aesGCM || configuration.sessionCipher != nil else {
            throw BleuRegistrationError.missingCipher
        }
        let parts = preparedParts()
        let name = actor.description.typeName
        let known = services[name]
        let service =
            try known.map { try reuse($0, for: actor) }
            ?? ActorService(actor, parts.context, parts.centrals)
        let index = advertised.firstIndex { $0.name == name }
        if let index {
            advertised.append(advertised.remove(at: index))
            return
        }
        let advertisement = ActorAdvertisement(actor.description, parts.context)
        do {
            if !service.service.isAdded {
                try await completed { parts.context.server.add(service.service, completion: $0) }
            }
            try await completed { advertisement.start($0) }
        } catch {
            service.actor.retained = nil
            if known == nil { service.remove() }
            throw error
        }
        services[name] = service
        advertised.append((name, advertisement))
    }

    /// Lets an actor replace an earlier one of its type.
    private func reuse(_ service: ActorService, for actor: LocalActor) throws -> ActorService {
        let (old, new) = (service.actor.description, actor.description)
        guard old.qualifiedName == new.qualifiedName else {
            throw BleuRegistrationError.sameName(old.qualifiedName, new.qualifiedName)
        }
        let isAdvertised = advertised.contains { $0.name == old.typeName }
        guard service.actor.id == actor.id || !isAdvertised else {
            throw BleuRegistrationError.alreadyServed(type: old.typeName)
        }
        service.actor = actor
        return service
    }

    private func preparedParts() -> Parts {
        if let parts { return parts }
        let engine = BlueZEngine.shared(on: host.mainLoop, busAddress: host.busAddress)
        let context = PeripheralContext(
            configuration: configuration,
            server: GATTServer(host: host),
            tasks: LoopTasks(host.mainLoop),
            clock: engine.client.clock,
            log: Log("bluejay.bleu", to: engine.client.logDispatcher)
        )
        context.server.onServiceEnded = { [weak self] service, error in
            let uuid = service.uuid
            self?.assumeIsolated { $0.serviceEnded(uuid, error) }
        }
        if configuration.encryption == .link {
            context.server.pairingCapability = configuration.pairingCapability(isCentral: false)
            let responder = configuration.passkeyResponder(on: host.mainLoop)
            context.server.pairingHandler = { responder.respond(to: $0, with: $2, for: $1.uuid) }
        }
        // Before the start of the server, whose own hook ends its calls with another error.
        let hook = host.mainLoop.context.addShutdownHook { [weak self] completion in
            guard let self else { return completion() }
            let completion = UncheckedTransfer(completion)
            assumeIsolated { $0.close(completion.value) }
        }
        context.server.start()
        let centrals = ConnectedCentrals(context)
        let parts = Parts(context: context, centrals: centrals, shutdownHook: hook)
        self.parts = parts
        return parts
    }

    private func serviceEnded(_ uuid: BluetoothUUID, _ error: BluejayError) {
        parts?.context.log.warning("service refused", ["error": "\(error)"])
        services.values.first { $0.service.uuid == uuid }?.retry()
    }

    /// Makes a call of the engine and waits for its completion, or for the end of the loop.
    private func completed(_ call: (@escaping GATTServer.Completion) -> Void) async throws {
        guard !isEnded else { throw BleuError.bluetoothUnavailable }
        let result = Rendezvous<Result<Void, any Error>>()
        present = result
        call { result.send($0.mapError(Self.mapped)) }
        try await withCheckedContinuation { continuation in
            result.receive { continuation.resume(returning: $0) }
        }.get()
        guard !isEnded else { throw BleuError.bluetoothUnavailable }
    }

    private static func mapped(_ error: any Error) -> any Error {
        switch (error as? BluejayError)?.kind {
        case .bluetoothUnavailable(.unauthorized): BleuError.bluetoothUnauthorized
        case .bluetoothUnavailable: BleuError.bluetoothUnavailable
        case .advertisementTooLong(let excess?):
            BleuRegistrationError.advertisementTooLong(length: excess.length, limit: excess.limit)
        default: BleuRegistrationError.refused("\(error)")
        }
    }

    // MARK: One call at a time

    private func startCall() async {
        if isBusy { return await withCheckedContinuation { waiters.append($0) } }
        isBusy = true
    }

    private func endCall() {
        if waiters.isEmpty {
            isBusy = false
        } else {
            waiters.removeFirst().resume()
        }
    }
}
