import BluejayL2CAP
import Dispatch
import Foundation

/// Relays standard input into a channel, and data from the channel to standard output.
@MainActor
final class ChannelRelay {
    /// The time without progress after which data counts as stuck.
    private static let stallTime = Timeout.seconds(10)

    private let session: ToolSession
    private let channel: L2CAPChannel
    private let isJSON: Bool
    /// The bytes of the input that the kernel has not accepted.
    private var pendingByteCount = 0

    init(_ session: ToolSession, _ channel: L2CAPChannel, inJSON isJSON: Bool) {
        self.session = session
        self.channel = channel
        self.isJSON = isJSON
    }

    /// Runs until the channel ends, or until this time after the end of the input and its sending.
    ///
    /// Each direction waits for its receiver.
    ///
    /// - Throws: ``ToolFailure`` if the channel ends for another reason than its peer's close, or if a part of the
    ///   input was not sent.
    func run(linger seconds: Double?) async throws {
        let sender = Task { await send(linger: seconds) }
        for await packet in channel.received {
            try show(packet)
            await session.console.waitForRoom()
        }
        sender.cancel()
        let end = channel.closeReason
        let unsentByteCount = await channel.close()
        await sender.value
        try check(end, lostByteCount: unsentByteCount + pendingByteCount)
    }

    private func show(_ packet: Data) throws {
        if isJSON {
            let content = ChannelJSON(psm: Int(channel.psm), value: packet)
            try session.console.record(content, of: OutputDevice(channel.peer))
        } else {
            session.console.bytes(ofPeer: packet)
        }
    }

    private func check(_ end: L2CAPCloseReason?, lostByteCount: Int) throws {
        let loss = lostByteCount > 0 ? "; up to \(lostByteCount) bytes did not reach the peer" : ""
        switch end {
        case nil, .closed:
            guard lostByteCount > 0 else { return }
            throw ToolFailure("the peer accepts no data\(loss)")
        case .closedByPeer:
            guard lostByteCount > 0 else { return }
            throw ToolFailure("the peer closed the channel\(loss)")
        case .linkLost(let reason): throw ToolFailure("connection lost \(reason)\(loss)")
        case .bluetoothUnavailable: throw ToolFailure("Bluetooth became unavailable\(loss)")
        case .failed(let number): throw ToolFailure("channel failed: errno \(number)\(loss)")
        }
    }

    private func send(linger seconds: Double?) async {
        while let data = await session.input.next() {
            pendingByteCount = data.count
            var rest = data
            while !rest.isEmpty {
                let packet = rest.prefix(channel.maximumSDU)
                do {
                    try await channel.send(Data(packet))
                } catch {
                    // The receiving loop reports the end of the channel.
                    return
                }
                rest = rest.dropFirst(packet.count)
                pendingByteCount = rest.count
            }
        }
        guard let seconds, !Task.isCancelled else { return }
        await flush()
        DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { [channel] in
            Task { await channel.close() }
        }
    }

    /// Waits until the data is sent, as long as the peer takes some of it.
    private func flush() async {
        var lastByteCount = Int.max
        while channel.isOpen, channel.unsentByteCount < lastByteCount {
            lastByteCount = channel.unsentByteCount
            do {
                return try await channel.flush(timeout: Self.stallTime)
            } catch BluejayError.operationTimedOut {
                continue
            } catch {
                return
            }
        }
    }
}
