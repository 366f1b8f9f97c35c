internal import BluejayBlueZ
internal import BluejayGLib
internal import FoundationEssentials

/// The open streams of one session, which their consumers read.
///
/// Confined to the loop of the host.
final class SessionStreams {
    private struct OpenStream {
        let characteristic: RemoteCharacteristic
        let channel: AsyncChannel.Input
        var receiver = StreamReceiver()
    }

    private let messages: SessionMessages
    private let context: MainContext
    private let errorTypes: [any (Error & Codable).Type]
    private var streams: [UInt16: OpenStream] = [:]

    init(
        _ messages: SessionMessages,
        _ errorTypes: [any (Error & Codable).Type],
        _ context: MainContext
    ) {
        self.messages = messages
        self.errorTypes = errorTypes
        self.context = context
    }

    var isEmpty: Bool { streams.isEmpty }

    func isOpen(_ number: UInt16) -> Bool { streams[number] != nil }

    /// Opens the stream that a call has returned.
    ///
    /// - Parameters:
    ///   - number: The number of the call.
    ///   - characteristic: The method.
    /// - Returns: The elements as they arrive.
    func open(_ number: UInt16, on characteristic: RemoteCharacteristic) -> AsyncChannel {
        let streams = UncheckedTransfer(WeakStreams(object: self))
        let channel = AsyncChannel(capacity: Int(StreamReceiver.window)) { [context] in
            context.post { streams.value.object?.consumed(number) }
        } onTermination: { [context] in
            context.post { streams.value.object?.terminated(number) }
        }
        self.streams[number] = OpenStream(characteristic: characteristic, channel: channel.input)
        return channel
    }

    /// Receives a message of an open stream.
    ///
    /// - Returns: Whether the message is one of a stream.
    func receive(_ message: Message) -> Bool {
        guard let stream = streams[message.call] else { return false }
        switch message.kind {
        case .element: receiveElement(message)
        case .end where message.body.isEmpty: close(message.call, nil)
        case .end:
            let thrown = try? JSONValue.decode(ThrownError.self, from: message.body)
            close(message.call, thrown?.error(errorTypes) ?? BleuError.invalidData)
        case .refusal:
            messages.cancel(message.call, on: stream.characteristic)
            close(message.call, BleuError.invalidData)
        case .call, .fetch, .cancel, .credit, .hello, .value, .nothing, .failure, .stream,
            .helloReply:
            break
        }
        return true
    }

    /// Ends a stream whose messages are damaged or late.
    func fail(_ number: UInt16, _ error: any Error) {
        guard let stream = streams[number] else { return }
        messages.cancel(number, on: stream.characteristic)
        close(number, error)
    }

    /// Ends all streams on both sides.
    func cancelAll(_ error: any Error) {
        for (number, stream) in streams {
            messages.cancel(number, on: stream.characteristic)
            close(number, error)
        }
    }

    /// Ends all streams, or those of one method.
    func end(_ error: any Error, on characteristic: RemoteCharacteristic? = nil) {
        for (number, stream) in streams
        where characteristic.map({ $0 === stream.characteristic }) ?? true {
            close(number, error)
        }
    }

    private func receiveElement(_ message: Message) {
        guard let (number, json) = Self.element(message.body),
            let outcome = streams[message.call]?.receiver.received(number)
        else { return fail(message.call, BleuError.invalidData) }
        switch outcome {
        case .deliver: _ = streams[message.call]?.channel.send(json)
        case .ignore: break
        case .fail: fail(message.call, BleuError.invalidData)
        }
    }

    private static func element(_ body: Data) -> (number: UInt32, json: Data)? {
        guard body.count > 4 else { return nil }
        return (body.littleEndian(UInt32.self, at: 0), Data(body.dropFirst(4)))
    }

    private func close(_ number: UInt16, _ error: (any Error)?) {
        streams.removeValue(forKey: number)?.channel.finish(throwing: error)
    }

    // MARK: The consumer

    private func consumed(_ number: UInt16) {
        guard let stream = streams[number],
            let credit = streams[number]?.receiver.elementConsumed()
        else { return }
        var body = Data()
        body.append(littleEndian: credit)
        messages.reply(.credit, number, body, on: stream.characteristic)
    }

    private func terminated(_ number: UInt16) {
        guard let stream = streams.removeValue(forKey: number) else { return }
        messages.cancel(number, on: stream.characteristic)
    }
}

private struct WeakStreams {
    weak var object: SessionStreams?
}
