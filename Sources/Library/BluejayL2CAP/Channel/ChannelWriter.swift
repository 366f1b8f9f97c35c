internal import DequeModule
internal import FoundationEssentials

/// Splits messages into SDUs and sends them one after the other.
///
/// Confined to the loop of the channel. A message keeps its channel until it completes.
final class ChannelWriter {
    private struct Message {
        let id: Int
        var rest: Data
        /// Called with the number of bytes that the kernel has accepted.
        let progress: ((Int) -> Void)?
        let completion: L2CAPChannel.Completion
        var acceptedByteCount = 0
    }

    /// The messages in order; the first one is being sent.
    private var messages: Deque<Message> = []
    private var lastID = 0

    /// Sends a message after the earlier ones.
    ///
    /// `completion` is called once, when the kernel has sent the last byte, or with an error. Returns the
    /// identifier for `cancel`.
    func send(
        _ data: Data,
        on channel: L2CAPChannel,
        progress: ((Int) -> Void)?,
        _ completion: @escaping L2CAPChannel.Completion
    ) -> Int {
        lastID += 1
        messages.append(
            Message(id: lastID, rest: data, progress: progress, completion: completion)
        )
        if messages.count == 1 { sendNext(on: channel) }
        return lastID
    }

    /// Drops the rest of a message, which completes after the SDU that is being sent.
    func cancel(_ id: Int) {
        guard let index = messages.firstIndex(where: { $0.id == id }) else { return }
        if index == 0 {
            messages[index].rest = Data()
        } else {
            messages.remove(at: index)
        }
    }

    private func sendNext(on channel: L2CAPChannel) {
        guard let rest = messages.first?.rest else { return }
        // On a closed channel the send fails.
        let part = rest.prefix(max(channel.maximumSDU, 1))
        messages[0].rest = rest.dropFirst(part.count)
        channel.sendOnLoop(part) { [self] in sent($0, part.count, on: channel) }
    }

    private func sent(_ result: Result<Void, any Error>, _ count: Int, on channel: L2CAPChannel) {
        guard var message = messages.first else { return }
        if case .success = result {
            message.acceptedByteCount += count
            messages[0] = message
            message.progress?(message.acceptedByteCount)
            // The callback may have cancelled the rest.
            if !messages[0].rest.isEmpty { return sendNext(on: channel) }
        }
        messages.removeFirst()
        switch result {
        case .success: channel.flushOnLoop(within: nil, message.completion)
        case .failure: message.completion(result)
        }
        sendNext(on: channel)
    }
}
