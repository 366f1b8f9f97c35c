public import BluejayCore
internal import BluejayGLib
public import FoundationEssentials
internal import Synchronization

extension L2CAPChannel {
    /// Connects to the peer, if that is not so already, and opens the channel; once, from any thread.
    ///
    /// Cancelling the task closes the channel.
    ///
    /// - Parameter timeout: For all of it. Without one an absent peer takes as long as BlueZ does, 41 s.
    /// - Throws: As the completion of ``open(timeout:completion:)``, or `CancellationError`.
    public func open(timeout: Timeout = .seconds(30)) async throws {
        try await awaited(host.mainLoop) { [self] completion in
            core.open(within: timeout.duration, completion)
        } cancel: { [self] in
            core.close()
        }
    }

    /// Sends a packet behind those that were given before, from any thread; returns when the kernel has
    /// taken it, which holds the sender back.
    ///
    /// A task that is cancelled stops waiting; the packet goes its way.
    ///
    /// - Parameter data: At most ``maximumSDU`` bytes.
    /// - Throws: As the completion of ``send(_:completion:)``, or `CancellationError`.
    public func send(_ data: Data) async throws {
        try await awaited(host.mainLoop) { [self] completion in
            core.send(data, completion)
        } cancel: {
        }
    }

    /// Ends the channel, from any thread; returns when its link is down, or others use it.
    public func close() async {
        await withCheckedContinuation { continuation in
            host.mainLoop.post { [core] in core.close { continuation.resume() } }
        }
    }

    /// The packets in their order, from any thread; it ends when the channel has, behind the last of them.
    ///
    /// What nobody takes waits, as with ``onReceive``, which goes before. Several tasks share the packets.
    public var received: L2CAPPackets { L2CAPPackets(channel: self) }
}

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

extension L2CAPChannel {
    fileprivate func nextPacket() async -> Data? {
        await next(on: host.mainLoop) { [core] in
            core.next($0, $1)
        } stopWaiting: { [core] in
            core.stopWaiting($0)
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
