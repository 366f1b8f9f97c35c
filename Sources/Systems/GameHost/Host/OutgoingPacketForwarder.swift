internal import BluejayGLib

/// Forwards the messages of a game while its host is open.
///
/// A game has one stream for all sessions, or one for each. An abandoned stream cannot be read again, so a
/// shared stream is read across sessions; while the host is closed, a packet waits.
@MainActor
final class OutgoingPacketForwarder {
    typealias Send = @MainActor (OutgoingPacket) async -> Void

    private var isOpen = false
    private var waiter: CheckedContinuation<Void, Never>?
    private var task: Task<Void, Never>?
    /// The stream in use, retained so that no other stream gets its identity.
    private var packets: AsyncStream<OutgoingPacket>?

    /// Reads the stream of a session in place of the previous one.
    func read(_ new: AsyncStream<OutgoingPacket>, _ send: @escaping Send) {
        if let packets, StreamIdentity(of: packets) == StreamIdentity(of: new) { return }
        end()
        packets = new
        task = Task { @MainActor [weak self] in
            for await packet in new {
                await self?.untilOpen()
                guard !Task.isCancelled else { break }
                await send(packet)
            }
        }
    }

    /// Starts to forward packets.
    func open() {
        isOpen = true
        resume()
    }

    /// Makes packets wait.
    func close() { isOpen = false }

    /// Stops reading the stream.
    func end() {
        task?.cancel()
        task = nil
        packets = nil
        resume()
    }

    private func resume() {
        waiter?.resume()
        waiter = nil
    }

    private func untilOpen() async {
        guard !isOpen, !Task.isCancelled else { return }
        await withCheckedContinuation { waiter = $0 }
    }
}
