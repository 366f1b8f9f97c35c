internal import BluejayBlueZ
public import BluejayCore
internal import BluejayGLib

/// Accepts the L2CAP channels that peers open to this computer.
///
/// A peer must be connected, or connect to an advertisement, and must know the PSM. Several listeners may
/// run, each with its own PSM. While Bluetooth is off or bluetoothd is not running, a listener pauses; it
/// resumes on the same PSM. It closes when its loop ends.
///
/// Any thread may call it; callbacks run on the loop of ``host``. Releasing a listener closes it; its
/// accepted channels stay open.
///
/// ```swift
/// let listener = L2CAPListener()
/// print("PSM", try await listener.start())
/// for await channel in listener.channels {
///     Task { for await packet in channel.received { try await channel.send(packet) } }
/// }
/// ```
public final class L2CAPListener: @unchecked Swift.Sendable {
    // As in a channel, the mutable state belongs to the loop, and calls from other threads are posted to it.

    /// The completion of ``start(timeout:completion:)``: the PSM, or a ``BluejayError``.
    public typealias Completion = (Result<UInt16, any Error>) -> Void

    /// The host whose adapter the listener uses.
    public let host: BluetoothHost
    private let requestedPSM: UInt16
    private let security: L2CAPSecurity
    private let publicPSM: LockedValue<UInt16>
    private let channelHandler = LoopProperty<((L2CAPChannel) -> Void)?>(nil)
    private let endHandler = LoopProperty<((BluejayError?) -> Void)?>(nil)
    private let access: BluetoothAccess
    private var listener: ChannelListener?
    private var isEnded = false
    private var isStopped = false
    private let delivery = ElementDelivery<L2CAPChannel>()

    /// Creates a listener; Bluetooth is not used before the listener is started.
    ///
    /// - Parameters:
    ///   - psm: 0x0080 to 0x00FF; 0 chooses a free one. PSMs below 0x0080 are assigned by the Bluetooth SIG
    ///     and require the capability `CAP_NET_BIND_SERVICE`.
    ///   - security: The required security of the links.
    ///   - host: The host whose adapter the listener uses.
    public init(
        psm: UInt16 = 0,
        security: L2CAPSecurity = .low,
        host: BluetoothHost = BluetoothHost()
    ) {
        self.host = host
        requestedPSM = psm
        publicPSM = LockedValue(psm)
        self.security = security
        access = BluetoothAccess(host)
    }

    // The last reference may be released on any thread. The loop closes the listener and releases the handlers.
    deinit {
        let state = UncheckedTransfer((channelHandler, endHandler, access, listener))
        let close: @Sendable () -> Void = {
            let (channelHandler, endHandler, _, listener) = state.value
            channelHandler.replace(with: nil)
            endHandler.replace(with: nil)
            listener?.close()
        }
        if host.mainLoop.isCurrent { close() } else { host.mainLoop.post(close) }
    }

    /// The PSM that peers open channels to; 0 before one is chosen.
    public var psm: UInt16 { publicPSM.value }

    /// Starts listening; may be called once.
    ///
    /// - Parameters:
    ///   - timeout: The time limit for Bluetooth to become available.
    ///   - completion: Called once, with the PSM. Fails with ``BluejayError/invalidPSM(_:)``,
    ///     ``BluejayError/psmNotPermitted(_:)``, ``BluejayError/psmInUse(_:)``,
    ///     ``BluejayError/bluetoothUnavailable(_:)``, ``BluejayError/stopped`` if the loop ends or has ended, or
    ///     ``BluejayError/notSupported(_:)`` if the kernel does not support Bluetooth.
    public func start(
        timeout: Timeout = .seconds(30),
        completion: @escaping @isolated(any) (Result<UInt16, any Error>) -> Void
    ) {
        let completion = host.mainLoop.context.callback(completion)
        host.mainLoop.callOrPost { [self] in start(within: timeout.duration, completion) }
    }

    private func start(within timeout: Duration?, _ completion: @escaping Completion) {
        guard listener == nil else {
            return host.mainLoop.relay {
                completion(.failure(BluejayError.inUse("the listener")))
            }
        }
        guard !access.isEnding else {
            finishWaiters()
            let error = BluejayError.stopped.during(.listenForChannels)
            return host.mainLoop.relay { completion(.failure(error)) }
        }
        let listener = ChannelListener(
            psm: requestedPSM,
            security: security.rawValue,
            tracker: access.open()
        )
        self.listener = listener
        followLoop()
        listener.onChannel = { [weak self] in Self.deliver(to: { self }) }
        listener.onEnd = { [weak self] in self?.ended($0) }
        listener.open(within: timeout) { [weak self] result in
            guard let self else { return completion(.failure(BluejayError.cancelled)) }
            switch result {
            case .success(let psm):
                publicPSM.value = psm
                completion(.success(psm))
            case .failure(let failure):
                finishWaiters()
                completion(.failure(error(failure)))
            }
        }
    }

    private func followLoop() {
        access.followLoop { [weak self] completion in
            self?.loopEnds()
            completion()
        }
    }

    private func loopEnds() {
        isStopped = true
        closeOnLoop()
        finishWaiters()
    }

    private func error(_ failure: ChannelFailure) -> BluejayError {
        if isStopped, case .cancelled = failure {
            return BluejayError.stopped.during(.listenForChannels)
        }
        return BluejayError(failure, psm: publicPSM.value, state: access.tracker?.state ?? .unknown)
            .during(.listenForChannels)
    }

    /// Stops accepting channels; a second call does nothing.
    public func close() {
        host.mainLoop.callOrPost { [self] in closeOnLoop() }
    }

    private func closeOnLoop() { listener?.close() }

    /// Called with each channel that a peer has opened, including the channels accepted before it was set.
    ///
    /// The receiver must keep the channel: releasing it closes it. While the handler is `nil`, up to sixteen
    /// channels wait; further ones are refused.
    public var onChannel: (@isolated(any) (L2CAPChannel) -> Void)? {
        get { channelHandler.latest }
        set {
            let handler = newValue.map { host.mainLoop.context.callback($0) }
            channelHandler.set(handler, on: host.mainLoop) { [weak self] in
                if $0 != nil { self?.deliverLater() }
            }
        }
    }

    private func deliverLater() {
        host.mainLoop.post { [weak self] in Self.deliver(to: { self }) }
    }

    // No strong reference stays while a callback runs.
    private static func deliver(to listener: () -> L2CAPListener?) {
        let delivery = listener()?.delivery
        delivery?.run { listener()?.nextDelivery() }
    }

    /// Returns the delivery of the next channel; nil ends the delivery.
    private func nextDelivery() -> (() -> Void)? {
        let handler = channelHandler.applied
        guard handler != nil || delivery.hasWaiters, let tracker = access.tracker,
            let accepted = listener?.accept()
        else { return nil }
        let peer = PeripheralIdentifier(address: accepted.peer, name: accepted.peerName)
        let channel = L2CAPChannel(accepted, from: peer, tracker: tracker, host: host)
        if let handler { return { handler(channel) } }
        let completion = delivery.popWaiter()
        return { completion?(channel) }
    }

    /// Called once when the listener has ended: with `nil` after `close`, otherwise with the error.
    public var onEnd: (@isolated(any) (BluejayError?) -> Void)? {
        get { endHandler.latest }
        set {
            endHandler.set(newValue.map { host.mainLoop.context.callback($0) }, on: host.mainLoop)
        }
    }

    private func ended(_ failure: ChannelFailure?) {
        finishWaiters()
        let onEnd = endHandler.replace(with: nil)
        onEnd?(failure.map { error($0) })
    }

    private func finishWaiters() {
        isEnded = true
        delivery.finishWaiters()
    }

    // MARK: Tasks

    /// Starts listening, from any thread; may be called once.
    ///
    /// Cancelling the task closes the listener.
    ///
    /// - Parameter timeout: The time limit for Bluetooth to become available.
    /// - Returns: The PSM.
    /// - Throws: The errors of ``start(timeout:completion:)``, or `CancellationError`.
    @discardableResult
    public func start(timeout: Timeout = .seconds(30)) async throws -> UInt16 {
        try await awaited(host.mainLoop) { [self] completion in
            start(within: timeout.duration, completion)
        } cancel: { [self] in
            closeOnLoop()
        }
    }

    /// Stops accepting channels, from any thread.
    public func close() async {
        await withCheckedContinuation { continuation in
            host.mainLoop.post { [self] in
                closeOnLoop()
                continuation.resume()
            }
        }
    }

    /// The channels that peers open, from any thread; the sequence ends with the listener.
    ///
    /// Channels wait as for ``onChannel``, which takes precedence.
    public var channels: L2CAPChannels { L2CAPChannels(listener: self) }

    fileprivate func nextChannel() async -> L2CAPChannel? {
        await next(on: host.mainLoop) { [self] in
            nextChannel($0, $1)
        } stopWaiting: { [self] in
            delivery.stopWaiting($0)
        }
    }

    /// Passes the next channel to `completion`, or nil at the end of the listener.
    private func nextChannel(_ id: Int, _ completion: @escaping (L2CAPChannel?) -> Void) {
        guard !isEnded, !access.isEnding else { return completion(nil) }
        followLoop()
        delivery.add(id, completion)
        Self.deliver(to: { self })
    }
}

/// The channels of a listener; each channel is delivered to one reader.
public struct L2CAPChannels: AsyncSequence, Swift.Sendable {
    /// An open channel.
    public typealias Element = L2CAPChannel
    /// The sequence never fails.
    public typealias Failure = Never

    let listener: L2CAPListener

    /// Returns an iterator, which starts with the waiting channels.
    public func makeAsyncIterator() -> Iterator { Iterator(listener: listener) }

    /// Reads the channels one by one.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let listener: L2CAPListener

        /// Returns the next channel, or nil when the listener or the task has ended.
        public mutating func next() async -> L2CAPChannel? {
            await listener.nextChannel()
        }

        /// Returns the next channel, or nil when the listener or the task has ended.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> L2CAPChannel? {
            await listener.nextChannel()
        }
    }
}
