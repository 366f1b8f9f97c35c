internal import BluejayGLib
public import FoundationEssentials
internal import Synchronization

/// The packets of a channel; each packet is delivered to one reader.
public struct L2CAPPackets: AsyncSequence, Swift.Sendable {
    /// A packet.
    public typealias Element = Data
    /// The sequence never fails; ``L2CAPChannel/closeReason`` is the reason for its end.
    public typealias Failure = Never

    let channel: L2CAPChannel

    /// Returns an iterator, which starts with the buffered packets.
    public func makeAsyncIterator() -> Iterator { Iterator(channel: channel) }

    /// Reads the packets one by one.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let channel: L2CAPChannel

        /// Returns the next packet, or nil when the channel or the task has ended.
        public mutating func next() async -> Data? {
            await channel.nextPacket()
        }

        /// Returns the next packet, or nil when the channel or the task has ended.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Data? {
            await channel.nextPacket()
        }
    }
}

enum WaiterID {
    private static let last = Atomic(0)

    static func next() -> Int {
        last.wrappingAdd(1, ordering: .relaxed).newValue
    }
}

/// Requests the next element on the loop; `nil` if the task is cancelled first.
func next<Element: Swift.Sendable>(
    on loop: MainLoop,
    _ request: @escaping @Sendable (Int, @escaping (Element?) -> Void) -> Void,
    stopWaiting: @escaping @Sendable (Int) -> Void
) async -> Element? {
    let id = WaiterID.next()
    let rendezvous = Rendezvous<Element?>()
    // Posted before the first suspension, so that a cancellation is posted after it.
    loop.post { request(id) { rendezvous.send($0) } }
    return await rendezvous.value(from: loop) { stopWaiting(id) }
}
