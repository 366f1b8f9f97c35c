internal import BluejayBlueZ
public import BluejayCore
internal import BluejayGLib

/// Takes the L2CAP channels that peers open to this computer.
///
/// Peers have to be connected, or to connect, which an advertisement lets them; and they have to know the
/// number. Several listeners may be there, each with a number of its own. While Bluetooth is off, or
/// bluetoothd is not there, nobody is listened for; it goes on by itself, on the same number.
///
/// Any thread may call it, as an ``L2CAPChannel``; callbacks come on the loop of ``host``. One that is released is
/// closed; the channels that were taken from it stay open.
///
/// ```swift
/// let listener = L2CAPListener()
/// print("PSM", try await listener.start())
/// for await channel in listener.channels {
///     Task { for await packet in channel.received { try await channel.send(packet) } }
/// }
/// ```
public final class L2CAPListener: @unchecked Swift.Sendable {
    // As with a channel: the core is confined to the main loop, and every call from elsewhere is posted to it.

    /// The completion of ``start(timeout:completion:)``: the number, or a ``BluejayError``.
    public typealias Completion = (Result<UInt16, any Error>) -> Void

    /// Where Bluetooth is.
    public let host: BluetoothHost
    private let core: ListenerCore

    /// Makes a listener; Bluetooth is not touched before it is started.
    ///
    /// - Parameters:
    ///   - psm: 0x0080 to 0x00FF; 0 is one of these that is free. Those below 0x0080 belong to the Bluetooth
    ///     SIG, and need the privilege `CAP_NET_BIND_SERVICE`.
    ///   - security: What the links of peers have to be.
    ///   - host: Where Bluetooth is.
    public init(
        psm: UInt16 = 0,
        security: L2CAPSecurity = .low,
        host: BluetoothHost = BluetoothHost()
    ) {
        self.host = host
        core = ListenerCore(psm, security, host)
    }

    deinit {
        // The last reference may be let go on any thread.
        if host.mainLoop.isCurrent { return core.shutDown() }
        host.mainLoop.post { [core] in core.shutDown() }
    }

    /// The number that peers open channels to; 0 before one is chosen.
    public var psm: UInt16 { core.shown.value }

    /// Begins to listen; once.
    ///
    /// - Parameters:
    ///   - timeout: For finding out whether there is Bluetooth.
    ///   - completion: Called once, with the number. Fails with ``BluejayError/invalidPSM(_:)``,
    ///     ``BluejayError/psmNotPermitted(_:)``, ``BluejayError/psmInUse(_:)``,
    ///     ``BluejayError/bluetoothUnavailable(_:)``, or ``BluejayError/notSupported(_:)`` where the kernel
    ///     has no Bluetooth.
    public func start(timeout: Timeout = .seconds(30), completion: @escaping Completion) {
        make { $0.start(within: timeout.duration, completion) }
    }

    /// Takes no more channels; a second call does nothing.
    public func close() {
        make { $0.close() }
    }

    /// Called with each channel that a peer has opened, and first with those that came before it was set.
    ///
    /// Whoever gets a channel holds it: one that is released is closed. While it is nil, sixteen channels
    /// wait, and others are refused.
    public var onChannel: ((L2CAPChannel) -> Void)? {
        get { core.onChannel.latest }
        set {
            core.onChannel.set(newValue, on: host.mainLoop) { [core] in
                if $0 != nil { core.deliverLater() }
            }
        }
    }

    /// Called once when it has ended: nil when it was closed here, else why it could not go on.
    public var onEnd: ((BluejayError?) -> Void)? {
        get { core.onEnd.latest }
        set { core.onEnd.set(newValue, on: host.mainLoop) }
    }

    private func make(_ call: @escaping (ListenerCore) -> Void) {
        host.mainLoop.make { [core] in call(core) }
    }

    // MARK: Tasks

    /// Begins to listen, from any thread.
    ///
    /// Once; cancelling the task closes it.
    ///
    /// - Parameter timeout: For finding out whether there is Bluetooth.
    /// - Returns: The number.
    /// - Throws: As the completion of ``start(timeout:completion:)``, or `CancellationError`.
    @discardableResult
    public func start(timeout: Timeout = .seconds(30)) async throws -> UInt16 {
        try await awaited(host.mainLoop) { [core] completion in
            core.start(within: timeout.duration, completion)
        } cancel: { [core] in
            core.close()
        }
    }

    /// Takes no more channels, from any thread.
    public func close() async {
        await withCheckedContinuation { continuation in
            host.mainLoop.post { [core] in
                core.close()
                continuation.resume()
            }
        }
    }

    /// The channels that peers open, from any thread; it ends when the listener has.
    ///
    /// What nobody takes waits, as with ``onChannel``, which goes before.
    public var channels: L2CAPChannels { L2CAPChannels(listener: self) }

    fileprivate func nextChannel() async -> L2CAPChannel? {
        await next(on: host.mainLoop) { [core] in
            core.next($0, $1)
        } stopWaiting: { [core] in
            core.stopWaiting($0)
        }
    }
}

/// The channels of a listener, each to one who asks.
public struct L2CAPChannels: AsyncSequence, Swift.Sendable {
    /// A channel that is open.
    public typealias Element = L2CAPChannel
    /// It never fails.
    public typealias Failure = Never

    let listener: L2CAPListener

    /// An iteration; it takes what has come and nobody has taken.
    public func makeAsyncIterator() -> Iterator { Iterator(listener: listener) }

    /// Asks for one channel after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let listener: L2CAPListener

        /// The next channel; nil when the listener or the task has ended.
        public mutating func next() async -> L2CAPChannel? {
            await listener.nextChannel()
        }

        /// The next channel; nil when the listener or the task has ended.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> L2CAPChannel? {
            await listener.nextChannel()
        }
    }
}
