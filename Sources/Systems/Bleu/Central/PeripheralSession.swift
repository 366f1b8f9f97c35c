internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

/// The calls and streams of one link: one call at a time, any number of streams.
///
/// Confined to the loop of the host.
final class PeripheralSession {
    enum Progress {
        /// From now on the call may be at the peripheral.
        case sending
        /// A further frame has been sent.
        case progressed
        case sent
        /// A frame of the reply has arrived, and more follow.
        case replyStarted
        case finished(Result<CallReply, any Error>)
    }

    private struct RunningCall {
        let key: UUID
        let call: OutgoingCall
        let characteristic: RemoteCharacteristic
        let report: (Progress) -> Void
        /// The number of its messages; a read has none until its reply is fetched.
        var number: UInt16?
        var read: LinkRequestID?
    }

    private let lease: LinkLease
    private let configuration: BleuConfiguration
    private let messages: SessionMessages
    private let streams: SessionStreams
    private var running: RunningCall?

    init(
        _ lease: LinkLease,
        _ configuration: BleuConfiguration,
        client: BlueZClient,
        log: Log
    ) {
        self.lease = lease
        self.configuration = configuration
        messages = SessionMessages(lease, configuration, clock: client.clock, log: log)
        streams = SessionStreams(messages, configuration.errorTypes, client.context)
        messages.onEvent = { [weak self] in self?.receive($0) }
    }

    var hasStreams: Bool { !streams.isEmpty }

    /// Starts a call.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - key: Names the call for `cancel`.
    ///   - report: Called with each step, and last with `finished`, in a later iteration of the loop or in
    ///     this call.
    func start(_ call: OutgoingCall, _ key: UUID, _ report: @escaping (Progress) -> Void) {
        let service = ServiceIdentifier(uuid: BluetoothUUID(call.service))
        guard lease.link.has(service) else {
            return report(.finished(.failure(BleuError.serviceNotFound(call.service))))
        }
        if call.form == .connect { return report(.finished(.success(.nothing))) }
        let identifier = CharacteristicIdentifier(
            uuid: BluetoothUUID(call.characteristic),
            service: service
        )
        guard let characteristic = lease.link.characteristic(identifier) else {
            let error = BleuError.characteristicNotFound(call.characteristic)
            return report(.finished(.failure(error)))
        }
        running = RunningCall(key: key, call: call, characteristic: characteristic, report: report)
        let isReadable = characteristic.properties.contains(.read)
        if call.form == .read, isReadable, configuration.encryption != .aesGCM {
            read(characteristic)
        } else {
            prepare(.call)
        }
    }

    /// Ends a call without its reply, and cancels it at the peripheral if it may have arrived there.
    func cancel(_ key: UUID) {
        guard let call = running, call.key == key else { return }
        running = nil
        if let read = call.read { lease.cancel(read) }
        guard let number = call.number else { return messages.cancelAgreement() }
        messages.cancel(number, on: call.characteristic)
    }

    func end(_ error: LinkError) {
        running = nil
        messages.end()
        streams.end(BleuError.connectionFailed(error))
    }

    // MARK: Reads

    private func read(_ characteristic: RemoteCharacteristic) {
        guard let key = running?.key else { return }
        report(.sending)
        report(.sent)
        let request = lease.read(characteristic, within: .bounded(configuration.callTimeout)) {
            [weak self] result in
            guard let self, running?.key == key else { return }
            running?.read = nil
            received(result)
        }
        running?.read = request
    }

    private func received(_ result: Result<Data, BlueZFailure>) {
        switch result {
        case .success(let value): finish(.success(.value(value)))
        // The method threw, or its result is long or late: the peripheral has saved the result.
        case .failure(.attribute(0x80, _)), .failure(.attribute(0x81, _)): prepare(.fetch)
        case .failure(let failure): finish(.failure(Self.error(failure)))
        }
    }

    // MARK: Messages

    private func prepare(_ kind: FrameKind) {
        guard let call = running else { return }
        // bluetoothd sends a write that the properties forbid, and a stranger may accept it.
        guard call.characteristic.canWrite else {
            let error = BleuError.characteristicNotFound(call.call.characteristic)
            return finish(.failure(error))
        }
        let needsReply = call.call.form != .oneWay
        messages.prepare(
            call.characteristic,
            needsReply: needsReply,
            isSubscribable: call.call.isSubscribable
        ) { [weak self] failure in
            guard let self, running?.key == call.key else { return }
            if let failure { return finish(.failure(failure)) }
            send(kind, call)
        }
    }

    private func send(_ kind: FrameKind, _ call: RunningCall) {
        var flags: MessageFlags = []
        if call.call.target != nil { flags.insert(.namesTarget) }
        let needsReply = call.call.form != .oneWay
        if !needsReply { flags.insert(.needsNoReply) }
        let body = kind == .call ? call.call.body : Data()
        do {
            let number = try messages.send(
                kind,
                flags: kind == .call ? flags : [],
                body,
                to: call.characteristic,
                isConfirmed: needsReply,
                onProgress: { [weak self] in
                    if self?.running?.key == call.key { self?.report(.progressed) }
                }
            ) { [weak self] result in
                guard let self, running?.key == call.key else { return }
                switch result {
                case .success where needsReply: report(.sent)
                case .success: finish(.success(.nothing))
                case .failure(let failure): finish(.failure(Self.error(failure)))
                }
            }
            running?.number = number
            report(.sending)
        } catch {
            finish(.failure(error))
        }
    }

    private func receive(_ event: SessionMessages.Event) {
        switch event {
        case .message(let message):
            if streams.receive(message) { return }
            if let call = running, call.number == message.call { replied(message, call) }
        case .replyStarted(let number):
            if running?.number == number { report(.replyStarted) }
        case .damaged(let number):
            if running?.number == number { finish(.failure(BleuError.invalidData)) }
            streams.fail(number, BleuError.invalidData)
        case .timedOut(let number):
            if let call = running, call.number == number {
                messages.cancel(number, on: call.characteristic)
                finish(.failure(BleuError.connectionTimeout))
            }
            streams.fail(number, BleuError.connectionTimeout)
        case .unsupportedVersion(let version, let number):
            guard running?.number == number else { return }
            let error = BleuError.incompatibleVersion(
                detected: version,
                required: Frame.version
            )
            finish(.failure(error))
        case .characteristicRemoved(let characteristic):
            let error = BleuError.connectionFailed(
                LinkError.other("the peripheral removed the service")
            )
            if let call = running, call.number != nil, call.characteristic === characteristic {
                finish(.failure(error))
            }
            streams.end(error, on: characteristic)
        }
    }

    private func replied(_ message: Message, _ call: RunningCall) {
        switch message.kind {
        case .value: finish(.success(.value(message.body)))
        case .nothing: finish(.success(.nothing))
        case .failure:
            let failure = try? JSONValue.decode(ThrownError.self, from: message.body)
            finish(failure.map { .success(.failure($0)) } ?? .failure(BleuError.invalidData))
        case .refusal: finish(.failure(refusal(message, call)))
        case .stream:
            finish(.success(.stream(streams.open(message.call, on: call.characteristic))))
        case .call, .fetch, .cancel, .credit, .hello, .element, .end, .helloReply: break
        }
    }

    private func refusal(_ message: Message, _ call: RunningCall) -> any Error {
        guard let refusal = Refusal(message) else { return BleuError.invalidData }
        if refusal.endsSession {
            streams.cancelAll(BleuError.connectionFailed(refusal))
            messages.renew()
        }
        return refusal.error(
            characteristic: call.call.characteristic,
            of: call.call.service
        )
    }

    private func report(_ progress: Progress) {
        running?.report(progress)
    }

    private func finish(_ result: Result<CallReply, any Error>) {
        guard let call = running else { return }
        running = nil
        call.report(.finished(result))
    }

    static func error(_ failure: BlueZFailure) -> any Error {
        switch failure {
        case .timedOut: BleuError.connectionTimeout
        case .accessDenied: BleuError.bluetoothUnauthorized
        default: BleuError.connectionFailed(LinkError.other(failure.reason))
        }
    }
}
