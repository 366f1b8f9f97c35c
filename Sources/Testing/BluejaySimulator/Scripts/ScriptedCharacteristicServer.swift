internal import BluejayGLib

/// The state of a scripted characteristic: its value and its subscribers.
final class ScriptedCharacteristicServer {
    let attribute: AttributeDatabase.Characteristic
    var behavior: ScriptedBehavior {
        didSet {
            value = Self.firstValue(behavior)
            timer = nil
            hasPlayed = false
            restartForFirstSubscriber()
        }
    }
    private var value: [UInt8]
    private unowned let device: SimulatedDevice
    private var subscribers: [(client: ATTClient, configuration: ClientConfiguration)] = []
    private var nextValue = 0
    /// Whether the timed values were started for the current subscribers.
    private var hasPlayed = false
    private var timer: ScheduledTimer?
    private var heldRequests = HeldRequests()

    init(
        _ attribute: AttributeDatabase.Characteristic,
        _ behavior: ScriptedBehavior,
        of device: SimulatedDevice
    ) {
        self.attribute = attribute
        self.behavior = behavior
        self.device = device
        value = Self.firstValue(behavior)
    }

    var subscriberCount: Int { subscribers.count }

    private static func firstValue(_ behavior: ScriptedBehavior) -> [UInt8] {
        switch behavior {
        case .value(let value), .echoes(let value), .repliesLate(let value, _): value
        case .replays(_, let value): value ?? []
        case .refuses, .accepts, .neverReplies, .disconnects, .sends, .computes, .decides: []
        }
    }

    // MARK: Holding

    func hold(_ request: PeerRequest) {
        heldRequests.hold(request)
    }

    func heldCount(_ request: PeerRequest) -> Int { heldRequests.count(request) }

    func release(_ request: PeerRequest, rejectingWith code: UInt8?) {
        for held in heldRequests.release(request) {
            if let code {
                held.completion(.failure(ATTErrorCode(code: code, isFinal: true)))
            } else {
                held.perform()
            }
        }
    }

    /// Performs a request now, or when its kind is released.
    func whenReleased(
        _ request: PeerRequest,
        _ client: ATTClient,
        _ completion: @escaping (ATTResult) -> Void,
        perform: @escaping () -> Void
    ) {
        guard !heldRequests.add((request, client, completion, perform)) else { return }
        perform()
    }

    // MARK: Reading

    func read(_ offset: Int, from client: ATTClient, completion: @escaping (ATTResult) -> Void) {
        if offset == 0 { device.history.recordRead(attribute.uuid) }
        if let refusal = rejection("read", client, .readNotPermitted) {
            return completion(.failure(refusal))
        }
        switch behavior {
        case .value, .echoes, .sends, .decides:
            completion(Self.part(of: value, offset, mtu: client.mtu))
        case .refuses(let code): completion(.failure(ATTErrorCode(code: code, isFinal: true)))
        case .replays(_, holding: .some): completion(Self.part(of: value, offset, mtu: client.mtu))
        case .accepts, .replays: completion(.failure(.readNotPermitted))
        case .neverReplies: return
        case .disconnects: device.dropLink()
        case .repliesLate(_, let seconds):
            let part = Self.part(of: value, offset, mtu: client.mtu)
            device.world?.schedule(.seconds(seconds)) { completion(part) }
        case .computes(let compute):
            completion(Self.part(of: compute(), offset, mtu: client.mtu))
        }
    }

    /// Returns the answer to a read or a read with an offset (Vol 3, Part F, 3.4.4.5).
    static func part(of value: [UInt8], _ offset: Int, mtu: Int) -> ATTResult {
        guard offset > 0 else { return .success(value) }
        guard offset <= value.count else { return .failure(.invalidOffset) }
        guard value.count > mtu - 1 else { return .failure(.notLong) }
        return .success(Array(value.dropFirst(offset)))
    }

    // MARK: Writing

    func write(
        _ new: [UInt8],
        _ offset: Int,
        from client: ATTClient,
        completion: @escaping (ATTResult) -> Void
    ) {
        let visible = CharacteristicFlags.visible(attribute.flags)
        // A peer also accepts requests where it asks for commands.
        let operation = visible.contains("write") ? "write" : "write-without-response"
        if let refusal = rejection(operation, client, .writeNotPermitted) {
            return completion(.failure(refusal))
        }
        guard offset <= value.count else { return completion(.failure(.invalidOffset)) }
        switch decide(new) {
        case .accept:
            store(Array(value.prefix(offset)) + new)
            completion(.success([]))
        case .reject(let error): completion(.failure(error))
        case .ignore: return
        case .disconnect: device.dropLink()
        }
    }

    func command(_ new: [UInt8]) {
        guard attribute.flags.contains("write-without-response"), case .accept = decide(new) else {
            return
        }
        store(new)
    }

    private enum WriteDecision {
        case accept, reject(ATTErrorCode), ignore, disconnect
    }

    private func decide(_ new: [UInt8]) -> WriteDecision {
        switch behavior {
        case .value, .echoes, .repliesLate, .replays: .accept
        case .accepts(let values, let code):
            values.contains(new) ? .accept : .reject(ATTErrorCode(code: code, isFinal: true))
        case .refuses(let code): .reject(ATTErrorCode(code: code, isFinal: true))
        case .neverReplies: .ignore
        case .disconnects: .disconnect
        case .sends, .computes: .reject(.writeNotPermitted)
        case .decides(let decide):
            decide(new).map { .reject(ATTErrorCode(code: $0, isFinal: true)) } ?? .accept
        }
    }

    private func store(_ new: [UInt8]) {
        value = new
        device.history.recordWrite(attribute.uuid, new)
        if case .echoes = behavior { send(new) }
    }

    private func rejection(
        _ operation: String,
        _ client: ATTClient,
        _ error: ATTErrorCode
    ) -> ATTErrorCode? {
        guard CharacteristicFlags.visible(attribute.flags).contains(operation) else { return error }
        return CharacteristicFlags.securityRejection(attribute.flags, operation, of: client.device)
    }

    // MARK: Listeners

    func configure(
        _ configuration: ClientConfiguration,
        for client: ATTClient,
        completion: @escaping (ATTResult) -> Void
    ) {
        if case .refuses(let code) = behavior, configuration != .nothing {
            return completion(.failure(ATTErrorCode(code: code, isFinal: true)))
        }
        if configuration != .nothing {
            let operation = configuration == .indications ? "indicate" : "notify"
            if let refusal = rejection(operation, client, .writeNotPermitted) {
                return completion(.failure(refusal))
            }
        }
        subscribers.removeAll { $0.client === client }
        if configuration != .nothing { subscribers.append((client, configuration)) }
        completion(.success([]))
        restartForFirstSubscriber()
    }

    func clientDisconnected(_ client: ATTClient) {
        heldRequests.clientDisconnected(client)
        subscribers.removeAll { $0.client === client }
        restartForFirstSubscriber()
    }

    /// The value of the descriptor at `handle`, or `nil` if it does not belong to this characteristic.
    func configuration(at handle: UInt16, of client: ATTClient) -> [UInt8]? {
        let own = attribute.descriptors.first { $0.uuid == AttributeDatabase.clientConfiguration }
        guard own?.handle == handle else { return nil }
        let configuration = subscribers.first { $0.client === client }?.configuration ?? .nothing
        return [UInt8(configuration.rawValue), 0]
    }

    func send(_ new: [UInt8]) {
        guard !subscribers.isEmpty else { return }
        device.history.recordSent(attribute.uuid, new)
        device.world?.onValueSent(attribute.uuid)
        for listener in subscribers { listener.client.deliver(attribute.valueHandle, new) }
    }

    // The sequence restarts with the first subscriber.
    private func restartForFirstSubscriber() {
        guard !subscribers.isEmpty else {
            timer = nil
            hasPlayed = false
            return
        }
        guard timer == nil else { return }
        nextValue = 0
        switch behavior {
        case .sends(let values, let seconds): run(.seconds(seconds), values)
        case .replays(let values, _) where !hasPlayed:
            hasPlayed = true
            guard let world = device.world else { return }
            play(values.sorted { $0.time < $1.time }, from: world.clock.now)
        default: return
        }
    }

    private func play(_ values: [TimedValue], from start: Duration) {
        guard nextValue < values.count, let clock = device.world?.clock else { return }
        // Each time counts from the start, so a late value does not delay the next ones.
        let wait = max(.zero, values[nextValue].time - (clock.now - start))
        timer = clock.schedule(after: wait) { [weak self] in
            guard let self, !subscribers.isEmpty else { return }
            let value = values[nextValue].value
            nextValue += 1
            play(values, from: start)
            send(value)
        }
    }

    private func run(_ period: Duration, _ values: [[UInt8]]) {
        guard !values.isEmpty else { return }
        timer = device.world?.clock.schedule(after: period) { [weak self] in
            guard let self, !subscribers.isEmpty else { return }
            run(period, values)
            value = values[nextValue]
            nextValue = (nextValue + 1) % values.count
            send(value)
        }
    }
}
