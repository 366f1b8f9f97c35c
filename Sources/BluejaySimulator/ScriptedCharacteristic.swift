internal import BluejayGLib

/// A characteristic of a scripted device, with its value and its listeners.
final class ScriptedCharacteristic {
    let attribute: AttributeDatabase.Characteristic
    var value: [UInt8]
    private let script: SimulatedCharacteristic
    private let clock: any EventClock
    private let sent: ([UInt8]) -> Void
    private var listeners: [(client: ATTClient, configuration: ClientConfiguration)] = []
    private var nextValue = 0
    private var timer: ScheduledTimer?
    private var delays: [ScheduledTimer] = []

    init(
        _ attribute: AttributeDatabase.Characteristic,
        _ script: SimulatedCharacteristic,
        clock: any EventClock,
        sent: @escaping ([UInt8]) -> Void
    ) {
        self.attribute = attribute
        self.script = script
        self.clock = clock
        self.sent = sent
        value = script.value
    }

    var listenerCount: Int { listeners.count }

    // MARK: Reading

    func read(_ offset: Int, from client: ATTClient, answer: @escaping (ATTResult) -> Void) {
        if let refusal = refusal("read", client, .readNotPermitted) {
            return answer(.failure(refusal))
        }
        switch script.reading {
        case .value: answer(ScriptedContent.part(of: value, offset, mtu: client.mtu))
        case .refuse(let code): answer(.failure(ATTError(code: code)))
        case .neverAnswer: return
        case .answerAfter(let delay):
            let timer = clock.schedule(after: delay) { [weak self] in
                guard let self else { return }
                answer(ScriptedContent.part(of: value, offset, mtu: client.mtu))
            }
            delays = delays.suffix(16) + [timer]
        case .compute(let compute):
            value = compute()
            answer(ScriptedContent.part(of: value, offset, mtu: client.mtu))
        }
    }

    // MARK: Writing

    func write(
        _ new: [UInt8],
        _ offset: Int,
        from client: ATTClient,
        answer: @escaping (ATTResult) -> Void
    ) {
        let visible = CharacteristicFlags.visible(attribute.flags)
        // A peer takes requests also where it wants commands.
        let operation = visible.contains("write") ? "write" : "write-without-response"
        if let refusal = refusal(operation, client, .writeNotPermitted) {
            return answer(.failure(refusal))
        }
        guard offset <= value.count else { return answer(.failure(.invalidOffset)) }
        switch decide(new) {
        case .accept:
            store(offset == 0 ? new : Array(value.prefix(offset)) + new)
            answer(.success([]))
        case .refuse(let error): answer(.failure(error))
        case .ignore: return
        }
    }

    /// Takes a write that nobody answers; false when it was refused.
    func command(_ new: [UInt8]) -> Bool {
        guard attribute.flags.contains("write-without-response"), case .accept = decide(new) else {
            return false
        }
        store(new)
        return true
    }

    private enum Decision {
        case accept, refuse(ATTError), ignore
    }

    private func decide(_ new: [UInt8]) -> Decision {
        switch script.writing {
        case .store, .echo: .accept
        case .accept(let values, let code):
            values.contains(new) ? .accept : .refuse(ATTError(code: code))
        case .refuse(let code): .refuse(ATTError(code: code))
        case .neverAnswer: .ignore
        case .run(let decide): decide(new).map { .refuse(ATTError(code: $0)) } ?? .accept
        }
    }

    private func store(_ new: [UInt8]) {
        value = new
        if case .echo = script.writing { notify(new) }
    }

    private func refusal(
        _ operation: String,
        _ client: ATTClient,
        _ error: ATTError
    ) -> ATTError? {
        guard CharacteristicFlags.visible(attribute.flags).contains(operation) else { return error }
        let needsKeys = CharacteristicFlags.needsEncryption(attribute.flags, operation)
        return needsKeys && !client.device.isPaired ? .insufficientEncryption : nil
    }

    // MARK: Listeners

    func configure(
        _ configuration: ClientConfiguration,
        for client: ATTClient,
        answer: @escaping (ATTResult) -> Void
    ) {
        listeners.removeAll { $0.client === client }
        if configuration != .nothing { listeners.append((client, configuration)) }
        answer(.success([]))
        follow()
    }

    func clientLeft(_ client: ATTClient) {
        listeners.removeAll { $0.client === client }
        follow()
    }

    /// The value of the descriptor at `handle`; nil when it is not this characteristic's.
    func configuration(at handle: UInt16, of client: ATTClient) -> [UInt8]? {
        let own = attribute.descriptors.first { $0.uuid == AttributeDatabase.clientConfiguration }
        guard own?.handle == handle else { return nil }
        let configuration = listeners.first { $0.client === client }?.configuration ?? .nothing
        return [UInt8(configuration.rawValue), 0]
    }

    /// Sends a value; false when nobody listens.
    @discardableResult
    func notify(_ new: [UInt8]) -> Bool {
        guard !listeners.isEmpty else { return false }
        value = new
        sent(new)
        for listener in listeners { listener.client.deliver(attribute.valueHandle, new) }
        return true
    }

    private func follow() {
        guard !listeners.isEmpty else {
            timer = nil
            return
        }
        guard timer == nil else { return }
        switch script.notifying {
        case .nothing: return
        case .atOnce(let values):
            timer = clock.schedule(after: Waits.request) { [weak self] in
                for value in values { self?.notify(value) }
            }
        case .every(let period, let values): run(period, values)
        }
    }

    private func run(_ period: Duration, _ values: [[UInt8]]) {
        guard !values.isEmpty else { return }
        timer = clock.schedule(after: period) { [weak self] in
            guard let self, !listeners.isEmpty else { return }
            run(period, values)
            nextValue = (nextValue + 1) % values.count
            notify(values[(nextValue + values.count - 1) % values.count])
        }
    }
}
