internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import Distributed
internal import FoundationEssentials

/// The calls to one peripheral and its link, as `CallStateMachine` and `RetryStateMachine` decide.
///
/// Confined to the loop of the host.
final class PeripheralConnection: EventPublisher {
    typealias Completion = (Result<CallReply, any Error>) -> Void

    let id: UUID
    let streams = EventStreams<ConnectionState>()

    private struct CurrentLink {
        let link: PeripheralLink
        /// Pairs the link, if the configuration requires it.
        let pairing: CentralPairing?
    }

    private let places: LinkPlaces
    /// Whether the peripheral is a central of this system at the same time.
    private let isCentral: () -> Bool
    private let configuration: BleuConfiguration
    private let keyTrust = KeyTrust()
    private let log: Log
    private var address: DeviceAddress
    private var adapter: ObjectPath?
    private var calls: CallStateMachine<UUID>
    private var retries: RetryStateMachine
    private let callActions = ActionQueue<CallStateMachine<UUID>.Action>()
    private let retryActions = ActionQueue<RetryStateMachine.Action>()
    private var pending: [UUID: (call: OutgoingCall, completion: Completion)] = [:]
    private var current: CurrentLink?
    private var session: PeripheralSession?
    private var timers: (call: ScheduledTimer?, retry: ScheduledTimer?)
    private var lastError: LinkError?
    /// The proxies that called over this connection.
    private var proxies: [WeakActor] = []
    private var reported = ConnectionState.disconnected

    /// Creates a connection; `adapter` is `nil` while Bluetooth is unavailable.
    init(
        _ id: UUID,
        _ address: DeviceAddress,
        over adapter: ObjectPath?,
        in places: LinkPlaces,
        _ configuration: BleuConfiguration,
        isCentral: @escaping () -> Bool
    ) {
        self.id = id
        self.isCentral = isCentral
        self.address = address
        self.places = places
        self.configuration = configuration
        self.adapter = adapter
        log = Log("bluejay.bleu", to: places.links.client.logDispatcher, ["device": "\(address)"])
        calls = CallStateMachine(configuration.callSettings, isUsable: adapter != nil)
        retries = RetryStateMachine(configuration.retrySettings, isUsable: adapter != nil)
    }

    private var links: LinkRegistry { places.links }

    var presentState: ConnectionState { reported }

    /// Whether the next attempt must remove keys, which this object remembers.
    var hasUnprovenKeys: Bool { keyTrust.isMissing }

    /// Whether the link is up or requested.
    var isActive: Bool { !retries.isIdle }

    /// Whether a call, a stream or a proxy needs the link.
    var isInUse: Bool {
        proxies.removeAll { $0.actor == nil }
        return !proxies.isEmpty || !calls.isIdle || session?.hasStreams == true
    }

    // MARK: Calls

    /// Queues a call.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - key: Names the call for `cancel`.
    ///   - proxy: The actor that is called.
    ///   - completion: Called once.
    func add(
        _ call: OutgoingCall,
        _ key: UUID,
        proxy: WeakActor?,
        _ completion: @escaping Completion
    ) {
        if let proxy, !proxies.contains(where: { $0.actor === proxy.actor }) {
            proxies.removeAll { $0.actor == nil }
            proxies.append(proxy)
        }
        pending[key] = (call, completion)
        perform(calls.add(key, now: now))
    }

    func cancel(_ key: UUID) {
        perform(calls.cancel(key, now: now))
    }

    /// Forgets proxies, which then do not hold the link.
    func remove(_ ended: [WeakActor]) {
        proxies.removeAll { proxy in ended.contains { $0.actor === proxy.actor } }
    }

    // MARK: The link

    /// The adapter to connect over; `nil` while Bluetooth is unavailable.
    func use(_ new: ObjectPath?) {
        guard new != adapter else { return }
        if adapter != nil {
            adapter = nil
            lastError = .unavailable
            perform(calls.bluetoothChanged(isUsable: false, now: now))
            perform(retries.bluetoothChanged(isUsable: false))
        }
        guard let new else { return }
        adapter = new
        perform(calls.bluetoothChanged(isUsable: true, now: now))
        perform(retries.bluetoothChanged(isUsable: true))
    }

    /// Releases the link; waiting calls fail.
    ///
    /// - Parameter completion: Called once, in a later iteration of the loop, when the link is down or left
    ///   to others.
    func disconnect(_ completion: @escaping () -> Void) {
        lastError = .disconnected
        // A proxy needs the next link only if it calls again.
        proxies = []
        report(isActive ? .disconnecting : .disconnected)
        let released = current?.link
        current = nil
        endSession()
        perform(retries.disconnect())
        perform(calls.unreachable(now: now))
        let finish = { [self] in
            if retries.isIdle { report(.disconnected) }
            completion()
        }
        if let released {
            released.release(disconnecting: disconnectPolicy, finish)
        } else {
            links.client.clock.onNextIteration(finish)
        }
    }

    /// Releases the link like ``disconnect(_:)``, for good: the streams of its states end at once.
    func close(_ completion: @escaping () -> Void) {
        disconnect(completion)
        report(.disconnected)
        streams.finish()
    }

    /// Fails all calls because this program has no permission to use Bluetooth.
    func fail(_ error: LinkError) {
        lastError = error
        perform(calls.unreachable(now: now))
    }

    // A link that an earlier run has left is disconnected; one of a central of this system may be that
    // central's own.
    private var disconnectPolicy: DisconnectPolicy { isCentral() ? .ifLocal : .always }

    private var now: Duration { links.client.clock.now }

    private func connect() {
        guard let adapter else { return perform(retries.failed(now: now)) }
        let shared = links.link(to: address, over: adapter)
        let pairing =
            configuration.encryption == .link
            ? CentralPairing(configuration, for: id, over: shared, trust: keyTrust, links: links)
            : nil
        let link = PeripheralLink(
            shared,
            within: .bounded(configuration.connectionTimeout),
            in: places
        ) { [weak self] in self?.receive($0) }
        current = CurrentLink(link: link, pairing: pairing)
        link.connect()
    }

    private func receive(_ event: PeripheralLink.Event) {
        switch event {
        case .up: linkUp()
        case .failed(let failure):
            failed(LinkError(failure, wasKnown: current?.link.link.path != nil))
        case .ended(let reason):
            // The removal of a peripheral's keys ends the link, and then reports its own failure.
            if current?.pairing?.isForgetting != true { ended(LinkError(reason)) }
        case .addressChanged(let new): address = new
        case .started, .progressed, .deviceChanged, .servicesChanged: break
        }
    }

    private func linkUp() {
        guard let lease = current?.link.lease else { return }
        guard let pairing = current?.pairing else { return startSession(lease) }
        pairing.pair(lease) { [weak self] failure in
            guard let self, current?.link.lease === lease else { return }
            if let failure { failed(.pairing(failure)) } else { startSession(lease) }
        }
    }

    private func failed(_ error: LinkError) {
        lastError = error
        perform(retries.failed(now: now))
    }

    private func startSession(_ lease: LinkLease) {
        session = PeripheralSession(lease, configuration, client: links.client, log: log)
        perform(retries.linked(now: now))
        perform(calls.linkUp(now: now))
    }

    private func ended(_ error: LinkError) {
        lastError = error
        endSession()
        perform(calls.linkDown(now: now))
        perform(isInUse ? retries.lost(now: now) : retries.disconnect())
        if retries.isIdle { report(.disconnected) }
    }

    private func endSession() {
        session?.end(lastError ?? .disconnected)
        session = nil
    }

    private func report(_ state: ConnectionState) {
        guard state != reported else { return }
        reported = state
        streams.send(state)
    }

    // MARK: Performing

    private func perform(_ new: [RetryStateMachine.Action]) {
        retryActions.perform(new) { action in
            switch action {
            case .connect: connect()
            case .release:
                endSession()
                perform(calls.linkDown(now: now))
                let released = current?.link
                current = nil
                released?.release(disconnecting: disconnectPolicy)
            case .report(let state): report(state)
            case .reportUnreachable: perform(calls.unreachable(now: now))
            case .setTimer(let instant):
                timers.retry = links.client.clock.schedule(at: instant) { [weak self] in
                    guard let self else { return }
                    perform(retries.timerFired(now: now))
                }
            }
        }
    }

    private func perform(_ new: [CallStateMachine<UUID>.Action]) {
        callActions.perform(new) { action in
            switch action {
            case .connect: perform(retries.connect())
            case .start(let key): start(key)
            case .cancel(let key): session?.cancel(key)
            case .fail(let key, let failure):
                pending.removeValue(forKey: key)?.completion(.failure(error(failure)))
            case .setTimer(let instant):
                timers.call = links.client.clock.schedule(at: instant) { [weak self] in
                    guard let self else { return }
                    perform(calls.timerFired(now: now))
                }
            }
        }
    }

    private func start(_ key: UUID) {
        guard let call = pending[key]?.call, let session else { return }
        session.start(call, key) { [weak self] in self?.receive($0, of: key) }
    }

    private func receive(_ progress: PeripheralSession.Progress, of key: UUID) {
        switch progress {
        case .sending: perform(calls.sending(key, now: now))
        case .sent: perform(calls.sent(key, now: now))
        case .progressed: perform(calls.progressed(key, now: now))
        case .replyStarted:
            perform(calls.replyStarted(key, now: now))
            perform(calls.progressed(key, now: now))
        case .finished(let result):
            if case .success = result { retries.callSucceeded() }
            let completion = pending.removeValue(forKey: key)?.completion
            perform(calls.finished(key, now: now))
            completion?(result)
        }
    }

    private func error(_ failure: CallStateMachine<UUID>.Failure) -> any Error {
        switch failure {
        case .tooManyCalls: BleuError.quotaExceeded
        case .timedOut: BleuError.connectionTimeout
        case .cancelled: CancellationError()
        case .linkLost: BleuError.connectionFailed(lastError ?? .disconnected)
        case .unavailable: BleuError.bluetoothUnavailable
        case .unreachable:
            switch lastError {
            case .notFound: BleuError.peripheralNotFound(id)
            case .unauthorized: BleuError.bluetoothUnauthorized
            case let error: BleuError.connectionFailed(error ?? .disconnected)
            }
        }
    }
}
