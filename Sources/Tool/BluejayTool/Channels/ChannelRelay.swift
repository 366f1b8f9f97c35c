import BluejayL2CAP
import Dispatch
import Foundation

/// Relays standard input into a channel, and data from the channel to standard output.
@MainActor
final class ChannelRelay {
    private let session: ToolSession
    private let channel: L2CAPChannel

    init(_ session: ToolSession, _ channel: L2CAPChannel) {
        self.session = session
        self.channel = channel
    }

    /// Runs until the channel ends, or until this time after the end of the input.
    ///
    /// Each direction waits for its receiver.
    ///
    /// - Throws: ``ToolFailure`` if the channel ends for another reason than its peer's close.
    func run(linger seconds: Double?) async throws {
        let sender = Task { await send(linger: seconds) }
        for await packet in channel.received {
            session.console.bytes(ofPeer: packet)
            await session.console.waitForRoom()
        }
        sender.cancel()
        let end = channel.closeReason
        await channel.close()
        await sender.value
        switch end {
        case nil, .closed, .closedByPeer: return
        case .linkLost(let reason): throw ToolFailure("connection lost \(reason)")
        case .bluetoothUnavailable: throw ToolFailure("Bluetooth became unavailable")
        case .failed(let number): throw ToolFailure("channel failed: errno \(number)")
        }
    }

    private func send(linger seconds: Double?) async {
        while let data = await session.input.next() {
            var rest = data
            while !rest.isEmpty {
                do {
                    try await channel.send(Data(rest.prefix(channel.maximumSDU)))
                } catch {
                    // The receiving loop reports the end of the channel.
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
