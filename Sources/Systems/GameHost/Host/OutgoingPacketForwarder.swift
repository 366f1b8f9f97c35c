/// Takes what a game has to say while its host is open.
///
/// A game has one stream for all sessions, or a stream for each. A stream that is not read any more cannot
/// be read again, so the same stream is read on over all sessions; while the host is closed a packet waits.
@MainActor
final class OutgoingPacketForwarder {
    typealias Send = @MainActor (OutgoingPacket) async -> Void

    private var isOpen = false
    private var waiter: CheckedContinuation<Void, Never>?
    private var task: Task<Void, Never>?
    /// The stream that is read, which is held so that no other one gets its identity.
    private var packets: AsyncStream<OutgoingPacket>?

    /// Reads the stream of a session, in place of the one before.
    func read(_ new: AsyncStream<OutgoingPacket>, _ send: @escaping Send) {
        if let packets, let identity = Self.identity(of: new),
            Self.identity(of: packets) == identity
        {
            return
        }
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

    /// Packets are sent from now on.
    func open() {
        isOpen = true
        resume()
    }

    /// What comes waits from now on.
    func close() { isOpen = false }

    /// Nothing is taken any more.
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

    /// Tells streams apart by the object that they share with their continuations.
    private static func identity(of stream: AsyncStream<OutgoingPacket>) -> ObjectIdentifier? {
        for child in Mirror(reflecting: stream).children where type(of: child.value) is AnyClass {
            return ObjectIdentifier(child.value as AnyObject)
        }
        return nil
    }
}
