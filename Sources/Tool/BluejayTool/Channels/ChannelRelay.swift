import BluejayL2CAP
import Dispatch
import Foundation

/// The bytes of standard input into a channel, and those of the channel to standard output.
@MainActor
final class ChannelRelay {
    private let session: ToolSession
    private let channel: L2CAPChannel

    /// Begins with a channel that is open.
    init(_ session: ToolSession, _ channel: L2CAPChannel) {
        self.session = session
        self.channel = channel
    }

    /// Goes on until the channel ends, or so many seconds after the end of the input.
    ///
    /// Each way waits for whoever takes the bytes.
    ///
    /// - Throws: ``ToolFailure`` when the channel ends otherwise than by its peer's close.
    func run(linger seconds: Double?) async throws {
        let sender = Task { await send(linger: seconds) }
        for await packet in channel.received {
            session.console.bytes(ofPeer: packet)
            await session.console.room()
        }
        sender.cancel()
        let end = channel.end
        await channel.close()
        await sender.value
        switch end {
        case nil, .closed, .closedByPeer: return
        case .linkLost(let reason): throw ToolFailure("the link is lost: \(reason)")
        case .bluetoothUnavailable: throw ToolFailure("Bluetooth was switched off, or has gone")
        case .failed(let number): throw ToolFailure("the channel was given up: errno \(number)")
        }
    }

    private func send(linger seconds: Double?) async {
        while let data = await session.input.next() {
            var rest = data
            while !rest.isEmpty {
                do {
                    try await channel.send(Data(rest.prefix(channel.maximumSDU)))
                } catch {
                    // The end of the channel is told where its packets are taken.
                    return
                }
                rest = rest.dropFirst(channel.maximumSDU)
            }
        }
        guard let seconds, !Task.isCancelled else { return }
        DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { [channel] in
            Task { await channel.close() }
        }
    }
}
