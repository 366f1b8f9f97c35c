internal import BluejayGLib
public import FoundationEssentials
internal import Synchronization

/// The packets of a channel, each to one who asks.
public struct L2CAPPackets: AsyncSequence, Swift.Sendable {
    /// A packet.
    public typealias Element = Data
    /// It never fails: ``L2CAPChannel/end`` says why it ended.
    public typealias Failure = Never

    let channel: L2CAPChannel

    /// An iteration; it takes what has come and nobody has taken.
    public func makeAsyncIterator() -> Iterator { Iterator(channel: channel) }

    /// Asks for one packet after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let channel: L2CAPChannel

        /// The next packet; nil when the channel or the task has ended.
        public mutating func next() async -> Data? {
            await channel.nextPacket()
        }

        /// The next packet; nil when the channel or the task has ended.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Data? {
            await channel.nextPacket()
        }
    }
}

/// Numbers that are never used twice.
enum Number {
    private static let last = Atomic(0)

    static func next() -> Int {
        last.wrappingAdd(1, ordering: .relaxed).newValue
    }
}

/// Asks on the loop for what comes next; nil when the task is cancelled first.
func next<Element: Swift.Sendable>(
    on loop: MainLoop,
    _ ask: @escaping @Sendable (Int, @escaping (Element?) -> Void) -> Void,
    stopWaiting: @escaping @Sendable (Int) -> Void
) async -> Element? {
    let id = Number.next()
    let answer = Meeting<Element?>()
    // Before the first suspension: what cancels it comes behind it.
    loop.post { ask(id) { answer.give($0) } }
    return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            answer.wait { continuation.resume(returning: $0) }
        }
    } onCancel: {
        loop.post { stopWaiting(id) }
    }
}
