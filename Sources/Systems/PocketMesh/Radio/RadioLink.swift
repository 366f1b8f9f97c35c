internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

/// The link of a connection attempt, with its subscription and its pairing.
final class RadioLink {
    typealias AttemptID = PhaseStateMachine.AttemptID

    /// Passes each event to the state machine of the owner.
    var onEvent: ((PhaseStateMachine.Event) -> Void)?

    private let settings: RadioSettings
    private let access: BluetoothAccess
    private let pairing: RadioPairing
    private let log: Log
    private(set) var knownRadios = KnownRadios()
    private var connection: RadioConnection?
    /// A released link, until nothing of it is pending.
    private var disconnecting: PeripheralLink?
    private var inbox: ReceivedValues?
    /// The number of dropped values of all former connections.
    private var previouslyDroppedCount = 0
    /// Runs until the meaning of an error is known.
    private var failureCheck: ScheduledTimer?

    init(
        _ settings: RadioSettings,
        _ access: BluetoothAccess,
        _ pairing: RadioPairing,
        log: Log
    ) {
        self.settings = settings
        self.access = access
        self.pairing = pairing
        self.log = log
    }

    /// The present attempt, or `nil` without a link.
    var attempt: AttemptID? { connection?.attempt }

    var stream: AsyncStream<Data>? { inbox?.elements }

    /// The number of dropped values, over all connections.
    var droppedValueCount: Int {
        previouslyDroppedCount + (inbox?.droppedCount ?? 0) + (connection?.droppedCount ?? 0)
    }

    /// Whether no link is open, and nothing of one is pending.
    var isIdle: Bool { connection == nil && disconnecting == nil && inbox == nil }

    /// Whether the meaning of an error is not known yet.
    var isCheckingFailure: Bool { failureCheck != nil }

    private func send(_ event: PhaseStateMachine.Event) { onEvent?(event) }

    private func subscribed(_ attempt: AttemptID, _ error: BLEError?) {
        send { $0.subscribed(attempt, error, now: $1) }
    }

    // MARK: Connecting

    func connect(_ attempt: AttemptID, to device: UUID) {
        guard let address = device.radioAddress, let shared = access.link(to: address) else {
            let error = BLEError(access.state)
            return send { machine, _ in machine.linkFailed(attempt, error) }
        }
        let link = PeripheralLink(shared, disconnecting: .always) { [weak self] in
            self?.receive($0, of: attempt)
        }
        link.connect()
        connection = RadioConnection(
            attempt: attempt,
            device: device,
            link: link,
            wasPaired: shared.device?.isPaired == true
        )
        followPairing()
    }

    private func receive(_ event: PeripheralLink.Event, of attempt: AttemptID) {
        guard connection?.attempt == attempt else { return }
        switch event {
        case .progressed(let progress): progressed(attempt, progress)
        case .up:
            deviceChanged()
            send { $0.linkUp(attempt, now: $1) }
        case .failed(let failure):
            connection = nil
            // The access reports a change of Bluetooth before the failure that it caused.
            access.tracker?.update()
            let error = error(failure)
            send { machine, _ in machine.linkFailed(attempt, error) }
        case .ended(let reason): ended(attempt, reason)
        case .deviceChanged: deviceChanged()
        case .addressChanged(let address): addressChanged(attempt, to: address)
        case .started, .servicesChanged: break
        }
    }

    private func progressed(_ attempt: AttemptID, _ progress: LinkProgress) {
        switch progress {
        case .discovering: send { $0.progressed(attempt, .discovering, now: $1) }
        case .connecting: send { $0.progressed(attempt, .connecting, now: $1) }
        case .connected: send { $0.progressed(attempt, .connected, now: $1) }
        // The completion follows.
        case .servicesResolved: break
        }
    }

    private func error(_ failure: LinkFailure) -> BLEError {
        switch failure {
        case .timedOut, .unansweredDiscovery: .connectionTimeout
        case .cancelled: .connectionFailed("the attempt was cancelled")
        case .unavailable:
            access.isUsable
                ? .connectionFailed("Bluetooth was switched off") : BLEError(access.state)
        case .pairing(let text): .pairingFailed(text)
        case .bluez(let failure):
            failure.unavailability(access.state).map { BLEError($0) }
                ?? .connectionFailed(failure.errorText ?? failure.reason)
        case .failed(let text): .connectionFailed(BlueZAnswer.explained(text))
        }
    }

    private func ended(_ attempt: AttemptID, _ reason: LinkDownReason) {
        log.debug("link down", ["how": "\(reason)"])
        if reason == .unavailable { access.tracker?.update() }
        if connection?.isOpen != true, endedByPairing(attempt) { return }
        send { $0.lost(attempt, now: $1) }
    }

    private func addressChanged(_ attempt: AttemptID, to address: DeviceAddress) {
        let device = PeripheralIdentifier(address: address, name: nil).uuid
        if let former = connection?.device { knownRadios.replaced(former, by: device) }
        connection?.device = device
        send { machine, _ in machine.identifierChanged(attempt, to: device) }
        followPairing()
    }

    private func deviceChanged() {
        if sharedLink?.device?.isPaired == true { connection?.wasPaired = true }
    }

    /// The link to the radio, which other users of the process share.
    private var sharedLink: Link? { connection?.link.link }

    // MARK: Subscribing

    var hasService: Bool { sharedLink?.has(NordicUART.service) == true }

    /// Finds both characteristics.
    ///
    /// - Returns: Whether the radio has them, and TX can be written.
    func findCharacteristics() -> Bool {
        let tx = sharedLink?.characteristic(NordicUART.tx)
        let rx = sharedLink?.characteristic(NordicUART.rx)
        connection?.tx = tx
        connection?.rx = rx
        return tx?.canWrite == true && rx != nil
    }

    /// Pairs if a provider is set and the radio is not paired, then subscribes.
    func subscribe(_ attempt: AttemptID) {
        guard let connection, connection.attempt == attempt, connection.rx != nil else { return }
        guard pairing.provider != nil, !connection.wasPaired else { return listen(attempt) }
        if let rejection = pairing.savedRejection(of: connection.device) {
            self.connection?.pairingFailure = rejection
            return listen(attempt)
        }
        pair(attempt)
    }

    private func listen(_ attempt: AttemptID) {
        guard let connection, connection.attempt == attempt, let rx = connection.rx else { return }
        let inbox = ReceivedValues.receivedValues()
        self.inbox = inbox
        let (values, log) = (inbox.continuation, log)
        self.connection?.requests.started(RadioConnection.subscriptionNumber, now: access.now)
        self.connection?.subscription = connection.link.lease?.subscribe(
            rx,
            onValue: { values.receive($0, log) },
            onEnd: { [weak self] _ in self?.send { $0.lost(attempt, now: $1) } },
            completion: { [weak self] in self?.subscriptionEnded(attempt, $0) }
        )
    }

    private func subscriptionEnded(_ attempt: AttemptID, _ result: Result<Void, BlueZFailure>) {
        recordReply(to: RadioConnection.subscriptionNumber, attempt, result)
        guard case .failure(let failure) = result else {
            return subscribed(attempt, nil)
        }
        checkFailure(failure, attempt) { [weak self] verdict in
            guard let self else { return }
            let error = verdict == .operationTimeout ? .connectionTimeout : verdict
            if verdict == .notConnected, endedByPairing(attempt) { return }
            forgetRejection(behind: verdict)
            subscribed(attempt, Self.subscriptionFailure(error))
        }
    }

    /// The error of a connection whose subscription was rejected.
    private static func subscriptionFailure(_ error: BLEError) -> BLEError {
        if case .writeError(let text) = error {
            .connectionFailed("subscribing failed: \(text)")
        } else {
            error
        }
    }

    func open() { connection?.isOpen = true }

    // MARK: Pairing

    /// Answers the pairing requests of the present radio, if a provider is set.
    func followPairing() { pairing.follow(connection) }

    /// Pairs, so that bluetoothd calls our agent, then subscribes.
    private func pair(_ attempt: AttemptID) {
        pairing.pairingStarted()
        // The time limit of the phase ends earlier.
        _ = connection?.link.lease?.pair(timeout: settings.serviceDiscoveryTimeout + .seconds(1)) {
            [weak self] in self?.paired(attempt, $0)
        }
    }

    private func paired(_ attempt: AttemptID, _ failure: PairingFailure?) {
        guard let connection, connection.attempt == attempt else { return }
        guard let failure else { return listen(attempt) }
        switch failure {
        case .rejected, .cancelled: subscribed(attempt, pairing.rejection)
        case .timedOut: subscribed(attempt, .connectionTimeout)
        // The radio may need no pairing. If its link ends, the rejected pairing is the reason.
        case .bluez(let failure) where failure.isPairingFailure && !pairing.wasRequested:
            let error = BLEError(failure)
            self.connection?.pairingFailure = error
            self.connection?.hasRejectedPairing = true
            pairing.recordRejection(connection.device, error)
            listen(attempt)
        case .bluez(let failure):
            checkFailure(failure, attempt) { [weak self] in self?.subscribed(attempt, $0) }
        }
    }

    /// Checks whether a link ended before the subscription because of a pairing.
    ///
    /// - Returns: Whether a pairing is the reason; it was reported then.
    private func endedByPairing(_ attempt: AttemptID) -> Bool {
        guard let connection, connection.attempt == attempt, connection.subscription != nil else {
            return false
        }
        if connection.hasRejectedPairing {
            // Such a radio ends the link with the pairing. It may need none: the retry does not pair.
            send { $0.reconnectWithoutPairing(attempt, now: $1) }
            return true
        }
        let isUnanswered =
            connection.requests.hasTimedOut || connection.requests.isOverdue(now: access.now)
        let unanswered = isUnanswered && !connection.wasPaired ? Self.unansweredPairing : nil
        guard let failure = connection.pairingFailure ?? unanswered else { return false }
        forgetRejection(behind: failure)
        subscribed(attempt, failure)
        return true
    }

    /// Lets the next attempt pair again if the radio requires a pairing after all.
    private func forgetRejection(behind error: BLEError) {
        guard case .pairingFailed = error, let device = connection?.device else { return }
        pairing.forgetRejection(of: device)
    }

    private static let unansweredPairing = BLEError.pairingFailed(
        "the pairing requested by the radio was not confirmed, or the radio did not respond for "
            + "30 s: set a passkey provider, or pair before with `bluetoothctl pair ADDRESS`"
    )

    // MARK: Writing

    /// Writes a value with response.
    ///
    /// - Parameters:
    ///   - data: The value.
    ///   - number: Identifies the value on this link; above 0.
    ///   - completion: Called with the error, or `nil`, before a report of `unusable`.
    /// - Returns: The request, or `nil` without a link.
    func write(
        _ data: Data,
        _ number: Int,
        _ completion: @escaping (BLEError?) -> Void
    ) -> LinkRequestID? {
        guard let connection, let tx = connection.tx else { return nil }
        let attempt = connection.attempt
        self.connection?.requests.started(number, now: access.now)
        return connection.link.lease?.write(tx, data, withResponse: true) { [weak self] result in
            self?.written(number, attempt, result, completion)
        }
    }

    /// Withdraws a write that has not started.
    func cancelWrite(_ request: LinkRequestID) { connection?.link.lease?.cancel(request) }

    private func written(
        _ number: Int,
        _ attempt: AttemptID,
        _ result: Result<Void, BlueZFailure>,
        _ completion: @escaping (BLEError?) -> Void
    ) {
        recordReply(to: number, attempt, result)
        guard case .failure(let failure) = result else { return completion(nil) }
        guard !indicatesLostLink(failure, attempt) else {
            // bluetoothd reports the end of the link a moment later.
            send { $0.lost(attempt, now: $1) }
            return completion(.notConnected)
        }
        checkFailure(failure, attempt) { [weak self] error in
            completion(error)
            switch error {
            case .pairingFailed, .pairingCancelled:
                self?.forgetRejection(behind: error)
                self?.send { machine, _ in machine.becameUnusable(attempt, error) }
            default: break
            }
        }
    }

    // MARK: The meaning of bluetoothd's errors

    private func recordReply(
        to request: Int,
        _ attempt: AttemptID,
        _ result: Result<Void, BlueZFailure>
    ) {
        guard connection?.attempt == attempt else { return }
        var code: UInt8?
        if case .failure(.attribute(let found, _)) = result { code = found }
        connection?.requests.ended(request, attributeCode: code, now: access.now)
    }

    /// Whether an error shows that the link is lost, although bluetoothd still has it.
    private func indicatesLostLink(_ failure: BlueZFailure, _ attempt: AttemptID) -> Bool {
        guard let connection, connection.attempt == attempt else { return false }
        switch failure {
        case .notConnected: return true
        case .attribute(0x0E, _): return connection.requests.hasTimedOut
        default: return false
        }
    }

    /// Calls `completion` with the meaning of an error, at once or when it is known.
    private func checkFailure(
        _ failure: BlueZFailure,
        _ attempt: AttemptID,
        _ completion: @escaping (BLEError) -> Void
    ) {
        guard case .attribute(0x0E, _) = failure else { return completion(BLEError(failure)) }
        guard !indicatesLostLink(failure, attempt) else { return completion(.notConnected) }
        // bluetoothd fails requests of a lost link with 0x0E, too, and reports the loss a moment later.
        failureCheck = access.schedule(at: access.now + settings.linkLossSettleTime) {
            [weak self] in
            guard let self else { return }
            guard let connection, connection.attempt == attempt, connection.link.link.isUp else {
                return completion(.notConnected)
            }
            completion(BLEError(unlikelyError: failure, wasPaired: connection.wasPaired))
        }
    }

    // MARK: The end

    /// Releases the link.
    func release(_ attempt: AttemptID) {
        removeConnection(attempt)?.link.release()
    }

    /// Releases the link, and reports `disconnected` when nothing of it is pending.
    func disconnect(_ attempt: AttemptID) {
        guard let removed = removeConnection(attempt) else {
            return send { machine, _ in machine.linkReleased(attempt) }
        }
        disconnecting = removed.link
        removed.link.disconnect { [weak self] in
            self?.disconnecting = nil
            self?.send { machine, _ in machine.linkReleased(attempt) }
        }
    }

    private func removeConnection(_ attempt: AttemptID) -> RadioConnection? {
        guard let removed = connection, removed.attempt == attempt else { return nil }
        // An unfinished subscription has a stream, too.
        closeStream()
        connection = nil
        followPairing()
        return removed
    }

    /// Ends the stream of values.
    func closeStream() {
        connection?.isOpen = false
        guard let inbox else { return }
        inbox.continuation.finish()
        previouslyDroppedCount += inbox.droppedCount + (connection?.droppedCount ?? 0)
        self.inbox = nil
        connection?.subscription = nil
    }

    /// Disconnects without reports, for the release of the owner.
    func shutDown() {
        inbox?.continuation.finish()
        connection?.link.release()
    }
}
