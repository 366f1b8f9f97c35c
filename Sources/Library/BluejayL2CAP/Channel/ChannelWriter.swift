internal import DequeModule
package import FoundationEssentials

/// Splits data into SDUs and sends them, one message at a time on each channel.
///
/// Confined to the loop of the host.
package final class ChannelWriter {
    package typealias Completion = (Result<Void, any Error>) -> Void

    private struct Message {
        let id: Int
        var rest: Data
        let completion: Completion
    }

    /// The messages of each channel; the first one is being sent.
    private var messages: [ObjectIdentifier: Deque<Message>] = [:]
    private var lastID = 0

    package init() {}

    /// Sends all of `data`, after the earlier messages of the channel.
    ///
    /// `completion` is called once, when the kernel has accepted the last byte, or with an error. Returns the
    /// identifier for `cancel`.
    package func send(_ data: Data, on channel: L2CAPChannel, _ completion: @escaping Completion)
        -> Int
    {
        lastID += 1
        let message = Message(id: lastID, rest: data, completion: completion)
        let key = ObjectIdentifier(channel)
        messages[key, default: []].append(message)
        if messages[key]?.count == 1 { sendNext(on: channel) }
        return lastID
    }

    /// Drops the unsent part of a message.
    package func cancel(_ id: Int, on channel: L2CAPChannel) {
        let key = ObjectIdentifier(channel)
        guard let index = messages[key]?.firstIndex(where: { $0.id == id }) else { return }
        // The first message completes with the SDU that is being sent.
        if index == 0 {
            messages[key]?[index].rest = Data()
        } else {
            messages[key]?.remove(at: index)
        }
    }

    private func sendNext(on channel: L2CAPChannel) {
        let key = ObjectIdentifier(channel)
        guard let rest = messages[key]?.first?.rest else { return }
        // On a closed channel the send fails.
        let part = rest.prefix(max(channel.maximumSDU, 1))
        messages[key]?[0].rest = rest.dropFirst(part.count)
        channel.send(Data(part)) { [weak self] in self?.sent($0, on: channel) }
    }

    private func sent(_ result: Result<Void, any Error>, on channel: L2CAPChannel) {
        let key = ObjectIdentifier(channel)
        guard let message = messages[key]?.first else { return }
        if case .success = result, !message.rest.isEmpty { return sendNext(on: channel) }
        messages[key]?.removeFirst()
        if messages[key]?.isEmpty == true { messages[key] = nil } else { sendNext(on: channel) }
        message.completion(result)
    }
}
