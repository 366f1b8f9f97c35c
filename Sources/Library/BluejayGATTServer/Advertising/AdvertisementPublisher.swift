internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib

/// The advertisements of a server, used on its main loop only.
final class AdvertisementPublisher {
    typealias Completion = (Result<Void, any Error>) -> Void

    /// Called when a registration starts or ends.
    var onChange: (() -> Void)?
    private let adapter: ServerAdapter
    private let publicState: LockedValue<ServerState>
    let log: Log
    private var sessions: [AdvertisingSession] = []
    /// The session of `startAdvertising`.
    private weak var single: AdvertisingSession?
    private var isShutDown = false

    init(_ adapter: ServerAdapter, _ context: ServerContext) {
        self.adapter = adapter
        publicState = context.publicState
        log = context.log
    }

    /// All registrations that bluetoothd may have.
    var registrations: [ObjectRegistration] { sessions.flatMap(\.registrations) }

    // MARK: The user

    func make(_ advertisement: LocalAdvertisement) -> AdvertisingSession {
        AdvertisingSession(advertisement, self)
    }

    func start(_ session: AdvertisingSession, completion: @escaping Completion) {
        do {
            try AdvertisementLayout.check(session.publicState.value.advertisement)
            guard adapter.canPublish else {
                throw BluejayError.bluetoothUnavailable(.unknown)
            }
        } catch {
            // The session ends before it has started.
            session.stop {}
            return completion(.failure(Self.annotated(error)))
        }
        sessions.append(session)
        session.start(completion: completion)
    }

    func update(
        _ session: AdvertisingSession,
        to advertisement: LocalAdvertisement,
        completion: @escaping Completion
    ) {
        do {
            try AdvertisementLayout.check(advertisement)
        } catch {
            return completion(.failure(Self.annotated(error)))
        }
        session.update(to: advertisement, completion: completion)
    }

    func startSingle(
        _ advertisement: LocalAdvertisement,
        onEnd: @escaping (BluejayError?) -> Void,
        completion: @escaping Completion
    ) {
        if let single, !single.isEnded, sessions.contains(where: { $0 === single }) {
            return completion(.failure(Self.annotated(BluejayError.alreadyAdvertising)))
        }
        let session = make(advertisement)
        session.onEnd.replace(with: onEnd)
        single = session
        start(session, completion: completion)
    }

    func stopSingle(completion: @escaping () -> Void) {
        guard let ending = single, !ending.isEnded else { return completion() }
        // A new session may start at once: bluetoothd processes the two calls in order.
        single = nil
        ending.stop(completion: completion)
    }

    func stopAll(_ group: CompletionGroup) {
        for session in sessions {
            group.enter { completion in session.stop(completion: completion) }
        }
    }

    func shutDown() {
        isShutDown = true
        for session in sessions { session.shutDown() }
        sessions = []
    }

    // MARK: The adapter

    func centralsChanged(_ changes: [CentralTracker.Change]) {
        for change in changes {
            switch change {
            // A device that this machine connected to did not respond to an advertisement.
            case .centralConnected: connected()
            case .disconnected: retry()
            case .connected, .centralDisconnected, .identified: break
            }
        }
    }

    private func connected() {
        guard adapter.advertisingCapabilities?.isExtended == true else { return }
        for session in sessions { session.connected() }
    }

    /// Retries refused registrations after a possible obstacle is gone.
    func retry() {
        for session in sessions { session.retry() }
    }

    var hasRoom: Bool { (adapter.advertisingCapabilities?.supportedInstances ?? 1) > 0 }

    // MARK: Sessions

    /// Creates the exported object of a content, and its registration.
    ///
    /// - Returns: Both, or nil when the server has stopped.
    func makeRegistration(
        of content: LocalAdvertisement,
        endTime: Duration?
    ) -> (object: ExportedAdvertisement, registration: ObjectRegistration)? {
        guard let client = adapter.client else { return nil }
        let object = ExportedAdvertisement(
            content.wire,
            at: ObjectExporter.shared(by: client).makePath("advertisement"),
            client: client,
            endTime: endTime
        )
        let registration = ObjectRegistration(object, client: client)
        object.onReleased = { [weak registration] in registration?.released(isFinal: $0) }
        return (object, registration)
    }

    func start(
        _ registration: ObjectRegistration,
        completion: @escaping (Result<Void, RegistrationFailure>) -> Void
    ) {
        onChange?()
        adapter.register(registration, "advertisement", completion)
    }

    func dispose(_ session: AdvertisingSession) {
        sessions.removeAll { $0 === session }
        registrationsChanged()
    }

    func registrationsChanged() {
        updatePublicState()
        if !isShutDown { onChange?() }
    }

    func updatePublicState() {
        let isAdvertising = sessions.contains { $0.publicState.value.isActive }
        guard publicState.value.isAdvertising != isAdvertising else { return }
        publicState.value.isAdvertising = isAdvertising
    }

    func logEnd(_ failure: RegistrationFailure?) {
        log.debug(
            "advertisement ended",
            ["reason": failure.map { "\($0)" } ?? "timeout"]
        )
    }

    func error(_ failure: RegistrationFailure) -> BluejayError {
        BluejayError(failure, adapter.bluetoothState).during(.advertise)
    }

    private static func annotated(_ error: any Error) -> any Error {
        (error as? BluejayError)?.during(.advertise) ?? error
    }
}
