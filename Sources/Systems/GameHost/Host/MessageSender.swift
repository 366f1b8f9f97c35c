internal import BluejayCore
internal import BluejayGATTServer
internal import BluejayGLib
internal import FoundationEssentials

/// The queue of messages to the players, and the goodbye, which waits until the queue is empty.
final class MessageSender {
    /// Sends a value to one player, or with `nil` to all.
    var onValue: (Data, _ target: String?, @escaping GATTServer.Completion) -> Void = {
        $2(.failure(BluejayError.cancelled))
    }

    private struct Goodbye {
        let earliest: Duration
        let timeoutTimer: ScheduledTimer
        var delayTimer: ScheduledTimer?
    }

    private var outbox: OutboxStateMachine
    private var messages: [Int: OutgoingPacket] = [:]
    private var lastMessage = 0
    private var flushTimer: ScheduledTimer?
    private var goodbye: Goodbye?
    private let settings: BLEHostManager.Settings
    private let clock: any EventClock
    private let events: HostEvents

    init(_ settings: BLEHostManager.Settings, clock: any EventClock, events: HostEvents) {
        self.settings = settings
        self.clock = clock
        self.events = events
        outbox = OutboxStateMachine(
            OutboxStateMachine.Settings(
                isRaw: settings.framing == .raw,
                maximumSize: settings.maximumQueuedBytes
            )
        )
    }

    func enqueue(_ packet: OutgoingPacket) {
        lastMessage += 1
        messages[lastMessage] = packet
        let message = OutboxStateMachine.Message(
            id: lastMessage,
            length: packet.data.count,
            target: packet.targetPeerId
        )
        perform(outbox.enqueue(message))
    }

    /// Updates the receivers.
    ///
    /// - Parameters:
    ///   - recipients: All players.
    ///   - supportsUnicast: Whether BlueZ can send a value to one central.
    func setRecipients(_ recipients: [OutboxStateMachine.Recipient], supportsUnicast: Bool) {
        perform(outbox.recipientsChanged(recipients, supportsUnicast: supportsUnicast))
    }

    private func perform(_ actions: [OutboxStateMachine.Action]) {
        for action in actions {
            switch action {
            case .send(let number, let fragment, let target): send(number, fragment, to: target)
            case .fail(let number, let target, let failure):
                guard let packet = messages[number] else { continue }
                let failed = OutgoingPacket(targetPeerId: target, data: packet.data)
                events.send(.failed(failed, failure))
            case .finish(let number): messages[number] = nil
            case .armFlush:
                flushTimer = clock.schedule(after: settings.flushInterval) { [weak self] in
                    self?.flush()
                }
            }
        }
        checkGoodbye()
    }

    private func flush() {
        flushTimer = nil
        perform(outbox.flush())
    }

    private func send(_ number: Int, _ fragment: OutboxStateMachine.Fragment, to target: String?) {
        let completion: GATTServer.Completion = { [weak self] result in
            guard let self else { return }
            perform(outbox.finished(number, Self.outcome(result, target)))
        }
        guard let message = messages[fragment.message]?.data else {
            return completion(.failure(BluejayError.cancelled))
        }
        onValue(value(fragment, of: message), target, completion)
    }

    private func value(_ fragment: OutboxStateMachine.Fragment, of message: Data) -> Data {
        guard settings.framing == .fragments else { return message }
        let start = message.startIndex
        let range = fragment.range
        let bytes = message[(start + range.lowerBound)..<(start + range.upperBound)]
        return PacketFragmenter.header(fragment.packetId, fragment.index, of: fragment.count)
            + bytes
    }

    private static func outcome(
        _ result: Result<Void, any Error>,
        _ target: String?
    ) -> OutboxStateMachine.Outcome {
        guard case .failure(let error) = result else { return .sent }
        let target = target ?? ""
        return switch (error as? BluejayError)?.code {
        case .notAddressable: .failed(.notAddressable(target))
        case .tooManyValues: .failed(.queueFull)
        default: .failed(.mute(target))
        }
    }

    // MARK: Goodbye

    /// Sends a last message, and reports `saidGoodbye` when the queue is empty or the limit has passed.
    func sayGoodbye(_ packet: OutgoingPacket?) {
        guard goodbye == nil else { return }
        if let packet { enqueue(packet) }
        flush()
        let delay = settings.goodbyeDelay
        let timeout = max(delay, BLEHostManager.Settings.goodbyeTimeout)
        goodbye = Goodbye(
            earliest: clock.now + delay,
            timeoutTimer: clock.schedule(after: timeout) { [weak self] in self?.endGoodbye() }
        )
        checkGoodbye()
    }

    func cancelGoodbye() { goodbye = nil }

    private func checkGoodbye() {
        guard let goodbye, outbox.isEmpty else { return }
        guard clock.now < goodbye.earliest else { return endGoodbye() }
        self.goodbye?.delayTimer = clock.schedule(at: goodbye.earliest) { [weak self] in
            self?.checkGoodbye()
        }
    }

    private func endGoodbye() {
        guard goodbye != nil else { return }
        goodbye = nil
        events.send(.saidGoodbye)
    }
}
