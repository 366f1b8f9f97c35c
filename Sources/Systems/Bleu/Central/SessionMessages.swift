internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

/// The messages of one link, in both directions, and the key agreement before the first one.
///
/// Confined to the loop of the host.
final class SessionMessages {
    enum Event {
        case message(Message)
        /// The first frame of a longer message has arrived.
        case replyStarted(call: UInt16)
        case damaged(call: UInt16)
        /// Frames of a message are missing.
        case timedOut(call: UInt16)
        case unsupportedVersion(Int, call: UInt16)
        /// The peripheral has removed the characteristic.
        case characteristicRemoved(RemoteCharacteristic)
    }

    var onEvent: ((Event) -> Void)?

    /// A key agreement whose reply is awaited.
    private struct Agreement {
        let number: UInt16
        let keys: any SessionKeyAgreement
        var completions: [((any Error)?) -> Void]
    }

    private let lease: LinkLease
    private let configuration: BleuConfiguration
    private let clock: any EventClock
    private let log: Log
    private let writer: FrameWriter
    private lazy var subscriptions = makeSubscriptions()
    private var transport: BLETransport
    private var session = UInt16.random(in: .min ... .max)
    /// Whether the peripheral has replied in this session.
    private var isAnswered = false
    /// Whether a frame has certainly arrived on this link.
    private var isAnnounced = false
    private var lastCall = UInt16.random(in: .min ... .max)
    private var agreement: Agreement?
    private var deadline: Duration?
    private var timer: ScheduledTimer?

    init(
        _ lease: LinkLease,
        _ configuration: BleuConfiguration,
        clock: any EventClock,
        log: Log
    ) {
        self.lease = lease
        self.configuration = configuration
        self.clock = clock
        self.log = log
        transport = BLETransport(receiving: .fromPeripheral, limits: configuration.transportLimits)
        transport.session = session
        writer = FrameWriter(lease, timeout: .bounded(configuration.reassemblyTimeout))
    }

    /// Subscribes to the replies and agrees on a key, as far as a message needs it.
    ///
    /// `completion` is called once: at once if nothing is missing.
    ///
    /// - Parameters:
    ///   - characteristic: The method.
    ///   - needsReply: Whether the method replies.
    ///   - isSubscribable: Whether a subscription alone calls the method, unless the central has written a frame.
    ///   - completion: Receives the error.
    func prepare(
        _ characteristic: RemoteCharacteristic,
        needsReply: Bool,
        isSubscribable: Bool,
        _ completion: @escaping ((any Error)?) -> Void
    ) {
        let needsKey = configuration.encryption == .aesGCM && transport.cipher == nil
        guard needsReply || needsKey else { return completion(nil) }
        let subscribe = { [weak self] (failure: BlueZFailure?) in
            guard let self, failure == nil else {
                return failure.map { completion(PeripheralSession.error($0)) } ?? ()
            }
            subscriptions.require(characteristic) { [weak self] failure in
                if let failure { return completion(PeripheralSession.error(failure)) }
                if needsKey { self?.agree(characteristic, completion) } else { completion(nil) }
            }
        }
        // A peripheral that has agreed on a key calls no method for a subscription.
        if isSubscribable, !isAnnounced, transport.cipher == nil {
            announce(to: characteristic, subscribe)
        } else {
            subscribe(nil)
        }
    }

    /// Writes a frame without effect, the credit of an unknown call: the peripheral takes a central that subscribes
    /// before it has written one for another program.
    ///
    /// It is written with response, because frames without may arrive after the subscription.
    private func announce(
        to characteristic: RemoteCharacteristic,
        _ completion: @escaping (BlueZFailure?) -> Void
    ) {
        lastCall &+= 1
        let credit = Message(kind: .credit, session: session, call: lastCall, body: Data(count: 4))
        let size = FrameWriter.frameSize(lease, characteristic)
        let frames = try? transport.frames(
            of: credit,
            frameSize: size,
            on: characteristic.identifier.uuid.canonicalText
        )
        guard let frame = frames?.first else { return completion(nil) }
        lease.write(
            characteristic,
            frame,
            withResponse: true,
            within: .bounded(configuration.callTimeout)
        ) { [weak self] result in
            if case .failure(let failure) = result { return completion(failure) }
            self?.isAnnounced = true
            completion(nil)
        }
    }

    /// Sends a message.
    ///
    /// - Parameters:
    ///   - kind: The purpose of the message.
    ///   - flags: Its flags.
    ///   - body: Its body.
    ///   - characteristic: The method.
    ///   - isConfirmed: Whether the last frame is written with response.
    ///   - onProgress: Called while frames are written.
    ///   - completion: Called when all frames are written; not if the message is cancelled before.
    /// - Returns: The number of its call.
    /// - Throws: `BleuError.invalidData` if the message is too long.
    func send(
        _ kind: FrameKind,
        flags: MessageFlags,
        _ body: Data,
        to characteristic: RemoteCharacteristic,
        isConfirmed: Bool,
        onProgress: @escaping () -> Void = {},
        _ completion: @escaping (Result<Void, BlueZFailure>) -> Void
    ) throws -> UInt16 {
        lastCall &+= 1
        let message = Message(
            kind: kind,
            session: session,
            call: lastCall,
            flags: flags,
            body: body
        )
        try write(
            message,
            to: characteristic,
            isConfirmed: isConfirmed,
            onProgress: onProgress,
            completion
        )
        return lastCall
    }

    /// Discards a key agreement without a reply, so that the next message starts a new one.
    func cancelAgreement() {
        agreement = nil
        renewUnanswered()
    }

    /// Ends the wait for a reply, on both sides.
    func cancel(_ number: UInt16, on characteristic: RemoteCharacteristic) {
        writer.cancel(number)
        reply(.cancel, number, Data(), on: characteristic)
        renewUnanswered()
    }

    /// Sends a message about an earlier call, whose loss ends with the link.
    func reply(
        _ kind: FrameKind,
        _ number: UInt16,
        _ body: Data,
        on characteristic: RemoteCharacteristic
    ) {
        let message = Message(kind: kind, session: session, call: number, body: body)
        do {
            try write(message, to: characteristic, isConfirmed: false) { _ in }
        } catch {
            log.debug("message not sent", ["error": "\(error)"])
        }
    }

    /// Begins a new session, with another number and without a cipher.
    func renew() {
        isAnswered = false
        session = UInt16.random(in: .min ... .max)
        transport.session = session
        transport.cipher = nil
    }

    // A peripheral that notifies all centrals at once does not reply in a session that another central has.
    private func renewUnanswered() {
        if !isAnswered { renew() }
    }

    func end() {
        onEvent = nil
        timer = nil
        agreement = nil
    }

    private func write(
        _ message: Message,
        to characteristic: RemoteCharacteristic,
        isConfirmed: Bool,
        onProgress: @escaping () -> Void = {},
        _ completion: @escaping (Result<Void, BlueZFailure>) -> Void
    ) throws {
        let size = FrameWriter.frameSize(lease, characteristic)
        do {
            let frames = try transport.frames(
                of: message,
                frameSize: size,
                on: characteristic.identifier.uuid.canonicalText
            )
            writer.write(
                frames,
                of: message.call,
                to: characteristic,
                isConfirmed: isConfirmed,
                onProgress: onProgress
            ) { [weak self] result in
                if case .success = result, isConfirmed { self?.isAnnounced = true }
                completion(result)
            }
        } catch {
            throw BleuError.invalidData
        }
    }

    // MARK: The key agreement

    private func agree(
        _ characteristic: RemoteCharacteristic,
        _ completion: @escaping ((any Error)?) -> Void
    ) {
        if agreement != nil {
            agreement?.completions.append(completion)
            return
        }
        guard let keys = configuration.sessionCipher?.makeKeyAgreement() else {
            return completion(BleuError.invalidData)
        }
        do {
            let number = try send(
                .hello,
                flags: [],
                keys.publicKey,
                to: characteristic,
                isConfirmed: true
            ) { [weak self] result in
                if case .failure(let failure) = result {
                    self?.agreed(PeripheralSession.error(failure))
                }
            }
            agreement = Agreement(number: number, keys: keys, completions: [completion])
        } catch {
            completion(error)
        }
    }

    private func receiveKey(_ message: Message, _ agreement: Agreement) {
        do {
            if message.kind == .refusal, Refusal(message) == .sessionInUse {
                renew()
                throw BleuError.connectionFailed(Refusal.sessionInUse)
            }
            guard message.kind == .helloReply else { throw BleuError.invalidData }
            transport.cipher = try agreement.keys.makeCipher(
                peerKey: message.body,
                isCentral: true
            )
            agreed(nil)
        } catch {
            agreed(error as? BleuError ?? .invalidData)
        }
    }

    private func agreed(_ error: (any Error)?) {
        let completions = agreement?.completions ?? []
        agreement = nil
        for completion in completions { completion(error) }
    }

    // MARK: Received frames

    private func makeSubscriptions() -> SessionSubscriptions {
        SessionSubscriptions(lease, timeout: .bounded(configuration.callTimeout)) {
            [weak self] frame, characteristic in
            self?.receive(frame, characteristic.identifier.uuid)
        } ended: { [weak self] in
            // Another process may serve the next characteristic.
            self?.isAnnounced = false
            self?.onEvent?(.characteristicRemoved($0))
        }
    }

    private func receive(_ frame: Data, _ characteristic: BluetoothUUID) {
        switch transport.receive(frame, on: characteristic.canonicalText, now: clock.now) {
        case .incomplete: if let call = Frame(frame)?.call { onEvent?(.replyStarted(call: call)) }
        case .message(let message): receive(message)
        case .unsupportedVersion(let version, _, let call):
            let error = BleuError.incompatibleVersion(detected: version, required: Frame.version)
            fail(call, error, .unsupportedVersion(version, call: call))
        case .damaged(_, let call?): fail(call, .invalidData, .damaged(call: call))
        case .damaged(_, nil), .ignored: break
        }
        setTimer()
    }

    private func receive(_ message: Message) {
        isAnswered = true
        if let agreement, message.call == agreement.number {
            receiveKey(message, agreement)
        } else {
            onEvent?(.message(message))
        }
    }

    /// Fails the key agreement, or reports an event of another message.
    private func fail(_ call: UInt16, _ error: BleuError, _ event: Event) {
        if call == agreement?.number { agreed(error) } else { onEvent?(event) }
    }

    private func setTimer() {
        guard deadline != transport.nextDeadline else { return }
        deadline = transport.nextDeadline
        timer = clock.schedule(at: deadline) { [weak self] in
            guard let self else { return }
            for (_, call) in transport.expire(now: clock.now) {
                fail(call, .connectionTimeout, .timedOut(call: call))
            }
            setTimer()
        }
    }
}
