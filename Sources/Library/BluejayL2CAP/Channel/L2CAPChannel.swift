internal import BluejayBlueZ
public import BluejayCore
internal import BluejayGLib
public import FoundationEssentials

/// An L2CAP channel of Bluetooth Low Energy: packets in both directions, with flow control.
///
/// A packet is an SDU of the specification: at most ``maximumSDU`` bytes to the peer, and at most
/// ``maximumReceivedSDU`` from it. Linux keeps packet boundaries; other systems may join packets, so a
/// message should carry its own length. Like a connection of `Bluejay`, a channel holds the link to its peer:
/// it establishes the link, the last holder disconnects it, and the channel ends with the link. It closes when
/// its loop ends.
///
/// Any thread may call it: calls from other threads are posted to the loop of ``host``, in the order of the
/// thread's calls. Callbacks run on the loop. Each completion is called exactly once, after its call has
/// returned. Releasing a channel closes it, within 10 s.
///
/// A packet is *accepted* when the kernel has stored it, and *sent* when the controller has it, which may be much
/// later if the peer accepts no data. Closing discards the packets that are not sent: ``flush(timeout:)`` waits
/// for them, and ``close(timeout:)`` waits and returns the number of lost bytes. The peer does not acknowledge
/// packets; if that matters, both ends should agree on a last packet.
///
/// ```swift
/// let channel = L2CAPChannel(to: sensor, psm: 0x80)
/// try await channel.open()
/// try await channel.send(contentsOf: log)
/// for await packet in channel.received { print(packet.count) }
/// ```
public final class L2CAPChannel: @unchecked Swift.Sendable {
    // Calls from other threads are posted to the loop, which owns the mutable state; the snapshot and the
    // loop properties are thread-safe. That is the invariant behind `@unchecked`.

    /// The completion of a call: success, or a ``BluejayError``.
    public typealias Completion = (Result<Void, any Error>) -> Void

    /// The maximum length of a received packet.
    public static let maximumReceivedSDU = Int(ChannelLimits.receiveMTU)

    /// The number of packets that wait for an actor before the channel stops reading.
    private static let maximumWaitingPackets = 64

    /// The host whose adapter the channel uses.
    public let host: BluetoothHost
    /// The peer at the other end.
    public let peer: PeripheralIdentifier
    /// The PSM on which the peer, or this program, listens.
    public let psm: UInt16

    private let security: L2CAPSecurity
    private let publicState = LockedValue(PublicState())
    private let receiveHandler = LoopProperty<PacedCallback<Data>?>(nil)
    private let endHandler = LoopProperty<((L2CAPCloseReason) -> Void)?>(nil)
    private var tracker: AdapterTracker?
    private var channel: Channel?
    private let delivery = ElementDelivery<Data>()
    private var hasOpenFailed = false
    private let writer = ChannelWriter()

    private struct PublicState: Swift.Sendable {
        var maximumSDU = 0
        var isOpen = false
        var unsentByteCount = 0
        var end: L2CAPCloseReason?
    }

    /// Creates a channel; Bluetooth is not used before the channel is opened.
    ///
    /// - Parameters:
    ///   - peer: A peripheral that is known to bluetoothd or advertising. An address alone, of which bluetoothd
    ///     knows nothing, counts as a random one.
    ///   - psm: The PSM on which the peer listens, 1 to 0x00FF. It is not advertised: a peer publishes it in
    ///     a characteristic, or both ends agree on a fixed one.
    ///   - security: The required security of the link.
    ///   - host: The host whose adapter the channel uses.
    public init(
        to peer: PeripheralIdentifier,
        psm: UInt16,
        security: L2CAPSecurity = .low,
        host: BluetoothHost = BluetoothHost()
    ) {
        self.host = host
        self.peer = peer
        self.psm = psm
        self.security = security
    }

    /// Creates a channel that a peer has opened.
    init(
        _ channel: Channel,
        from peer: PeripheralIdentifier,
        tracker: AdapterTracker,
        host: BluetoothHost
    ) {
        self.host = host
        self.peer = peer
        psm = channel.psm
        security = .low
        self.tracker = tracker
        attach(channel)
        opened(channel)
    }

    // The last reference may be released on any thread. The loop closes the channel and releases the handlers.
    deinit {
        let state = UncheckedTransfer((receiveHandler, endHandler, tracker, channel))
        let close: @Sendable () -> Void = {
            let (receiveHandler, endHandler, _, channel) = state.value
            receiveHandler.replace(with: nil)
            endHandler.replace(with: nil)
            channel?.discardReceived()
            channel?.close(within: ChannelLimits.closeTimeout)
        }
        if host.mainLoop.isCurrent { close() } else { host.mainLoop.post(close) }
    }

    /// The maximum length of a packet to the peer, its MTU; 0 before the channel is open.
    public var maximumSDU: Int { publicState.value.maximumSDU }

    /// Whether packets can be sent.
    public var isOpen: Bool { publicState.value.isOpen }

    /// The reason for the end of the channel; `nil` before the end, and if the channel was never open.
    public var closeReason: L2CAPCloseReason? { publicState.value.end }

    /// The number of bytes in packets that were queued or accepted, and are not sent yet.
    ///
    /// At the end of a channel, the number of bytes that may not have reached the peer. If the peer closes the
    /// channel, the kernel does not report what it has sent in the last milliseconds, and the number may be
    /// higher than the loss.
    public var unsentByteCount: Int { publicState.value.unsentByteCount }

    private var state: BluetoothState { tracker?.state ?? .unknown }

    // MARK: Opening and closing

    /// Connects to the peer if necessary, and opens the channel; may be called once.
    ///
    /// - Parameters:
    ///   - timeout: The time limit. Without one, BlueZ stops trying after 41 s.
    ///   - completion: Fails with ``BluejayError/invalidPSM(_:)``, ``BluejayError/bluetoothUnavailable(_:)``,
    ///     ``BluejayError/connectionTimedOut``, ``BluejayError/connectionFailed(_:)``,
    ///     ``BluejayError/channelRefused`` if the peer does not listen, ``BluejayError/notPaired`` if the
    ///     link cannot reach the security that one end requires, ``BluejayError/cancelled`` if the channel
    ///     was closed meanwhile, ``BluejayError/stopped`` if the loop ends or has ended, or
    ///     ``BluejayError/notSupported(_:)`` if the kernel does not support Bluetooth.
    public func open(
        timeout: Timeout = .seconds(30),
        completion: @escaping @isolated(any) (Result<Void, any Error>) -> Void
    ) {
        let completion = host.mainLoop.context.callback(completion)
        host.mainLoop.callOrPost { [self] in open(within: timeout.duration, completion) }
    }

    private func open(within timeout: Duration?, _ completion: @escaping Completion) {
        guard let address = peer.possibleAddresses.first else {
            let rejection = peer.rejection ?? .unexpectedPeripheral(peer)
            return host.mainLoop.relay { completion(.failure(rejection.during(.openChannel))) }
        }
        guard channel == nil else {
            return host.mainLoop.relay { completion(.failure(BluejayError.inUse("the channel"))) }
        }
        guard !host.mainLoop.context.isEnding else {
            let error = BluejayError.stopped.during(.openChannel, peripheral: peer)
            return host.mainLoop.relay { completion(.failure(error)) }
        }
        let tracker = AdapterTracker(host)
        let channel = Channel(
            to: address,
            or: Array(peer.possibleAddresses.dropFirst()),
            psm: psm,
            security: security.rawValue,
            tracker: tracker
        )
        self.tracker = tracker
        attach(channel)
        channel.open(within: timeout) { [weak self, weak channel, peer, psm] result in
            guard let self, let channel else {
                return completion(.failure(BluejayError.cancelled))
            }
            switch result {
            case .success:
                opened(channel)
                completion(.success(()))
            case .failure(let failure):
                hasOpenFailed = true
                delivery.finishWaiters()
                let isStopped = channel.isEndedByLoop && failure == .cancelled
                let error =
                    isStopped ? .stopped : BluejayError(failure, psm: psm, state: state)
                completion(.failure(error.during(.openChannel, peripheral: peer)))
            }
        }
    }

    private func attach(_ channel: Channel) {
        self.channel = channel
        channel.onReceived = { [weak self] in Self.deliver(to: { self }) }
        channel.onEnd = { [weak self] end in Self.ended(L2CAPCloseReason(end), { self }) }
        channel.onUnsentChange = { [publicState, weak channel] in
            guard let channel else { return }
            publicState.value.unsentByteCount = channel.unsentByteCount
        }
    }

    private func opened(_ channel: Channel) {
        guard channel.isOpen else { return }
        publicState.value.maximumSDU = channel.sendMTU
        publicState.value.isOpen = true
    }

    /// Closes the channel when its packets are sent, or cancels its opening.
    ///
    /// Meanwhile further sends fail with ``BluejayError/channelClosed``, ``onReceive`` is not called, and
    /// ``received`` continues. After the limit, queued packets fail with the same error. If the peer or the link
    /// ends the channel earlier, ``closeReason`` has the reason. Of several calls, the earliest limit counts.
    ///
    /// - Parameters:
    ///   - timeout: The time limit for the packets; a negative one discards them.
    ///   - completion: Called when the link is down, or remains in use by others, with the number of bytes that
    ///     may not have reached the peer: ``unsentByteCount``.
    public func close(
        timeout: Timeout = .seconds(10),
        completion: @escaping @isolated(any) (Int) -> Void
    ) {
        let completion = host.mainLoop.context.callback(completion)
        host.mainLoop.callOrPost { [self] in closeOnLoop(within: timeout.duration, completion) }
    }

    /// Closes the channel within 10 s, as ``close(timeout:completion:)`` does.
    ///
    /// - Parameter completion: Called when the link is down, or remains in use by others.
    public func close(completion: @escaping @isolated(any) () -> Void) {
        let completion = host.mainLoop.context.callback(completion)
        host.mainLoop.callOrPost { [self] in
            closeOnLoop(within: ChannelLimits.closeTimeout) { _ in completion() }
        }
    }

    private func closeOnLoop(within timeout: Duration?, _ completion: ((Int) -> Void)? = nil) {
        guard let channel else {
            if let completion { host.mainLoop.relay { completion(0) } }
            return
        }
        // The end is reported on a later iteration; the user may release the channel before that.
        if channel.isOpen {
            channel.onEnd = { [self] in Self.ended(L2CAPCloseReason($0), { self }) }
        }
        if receiveHandler.applied != nil { channel.discardReceived() }
        publicState.value.isOpen = false
        channel.close(within: timeout, then: completion)
    }

    /// Called once when an open channel has ended, after the packets received before.
    public var onEnd: (@isolated(any) (L2CAPCloseReason) -> Void)? {
        get { endHandler.latest }
        set {
            endHandler.set(newValue.map { host.mainLoop.context.callback($0) }, on: host.mainLoop)
        }
    }

    // As in a delivery, a callback may release the channel.
    private static func ended(_ end: L2CAPCloseReason, _ channel: () -> L2CAPChannel?) {
        channel()?.publishEnd(end)
        deliver(to: channel)
        channel()?.delivery.finishWaiters()
        let onEnd = channel()?.endHandler.replace(with: nil) ?? nil
        onEnd?(end)
    }

    private func publishEnd(_ end: L2CAPCloseReason) {
        publicState.value.isOpen = false
        publicState.value.end = end
    }

    // MARK: Packets

    /// Sends a packet after the packets of earlier calls.
    ///
    /// Up to 256 KiB of packets are queued while the kernel accepts none. An empty packet is not sent.
    ///
    /// - Parameters:
    ///   - data: At most ``maximumSDU`` bytes.
    ///   - completion: Called when the kernel has accepted the packet; ``flush(timeout:completion:)`` waits until
    ///     it is sent. Fails with
    ///     ``BluejayError/valueTooLong(length:limit:)``, ``BluejayError/channelFull(limit:)`` if the queue is
    ///     full, ``BluejayError/channelClosed``, or the reason for the end of the channel.
    public func send(
        _ data: Data,
        completion: @escaping @isolated(any) (Result<Void, any Error>) -> Void
    ) {
        let completion = host.mainLoop.context.callback(completion)
        host.mainLoop.callOrPost { [self] in sendOnLoop(data, completion) }
    }

    func sendOnLoop(_ data: Data, _ completion: @escaping Completion) {
        let peer = peer
        guard let channel else {
            let error = BluejayError.channelClosed.during(.sendOnChannel, peripheral: peer)
            return host.mainLoop.relay { completion(.failure(error)) }
        }
        channel.send([UInt8](data)) { [weak self] result in
            completion(
                result.mapError { failure in
                    BluejayError(failure, length: data.count, state: self?.state ?? .unknown)
                        .during(.sendOnChannel, peripheral: peer)
                }
            )
        }
    }

    /// Sends data of any length in packets of ``maximumSDU`` bytes.
    ///
    /// The packets of several such calls follow each other; those of other sends may come between them.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - progress: Called with the number of accepted bytes after each packet.
    ///   - completion: Called when all of the data is sent. Fails as ``send(_:completion:)`` and
    ///     ``flush(timeout:completion:)`` do; then a part may have been sent.
    public func send(
        contentsOf data: Data,
        progress: (@isolated(any) (Int) -> Void)? = nil,
        completion: @escaping @isolated(any) (Result<Void, any Error>) -> Void
    ) {
        let progress = progress.map { host.mainLoop.context.callback($0) }
        let completion = host.mainLoop.context.callback(completion)
        host.mainLoop.callOrPost { [self] in
            _ = writer.send(data, on: self, progress: progress, completion)
        }
    }

    /// Waits until the packets of all earlier calls are sent.
    ///
    /// - Parameters:
    ///   - timeout: The time limit; a negative one asks for the present state.
    ///   - completion: Called once. Fails with ``BluejayError/operationTimedOut``,
    ///     ``BluejayError/channelClosed`` if one end has closed the channel before all was sent, or another reason
    ///     for the end of the channel.
    public func flush(
        timeout: Timeout = .seconds(30),
        completion: @escaping @isolated(any) (Result<Void, any Error>) -> Void
    ) {
        let completion = host.mainLoop.context.callback(completion)
        host.mainLoop.callOrPost { [self] in flushOnLoop(within: timeout.duration, completion) }
    }

    /// Returns the identifier of the flush, for `Channel.cancelFlush`.
    @discardableResult
    func flushOnLoop(within timeout: Duration?, _ completion: @escaping Completion) -> Int? {
        let peer = peer
        guard let channel else {
            let error = BluejayError.channelClosed.during(.sendOnChannel, peripheral: peer)
            host.mainLoop.relay { completion(.failure(error)) }
            return nil
        }
        return channel.flush(within: timeout) { [weak self] result in
            completion(
                result.mapError { failure in
                    BluejayError(failure, state: self?.state ?? .unknown)
                        .during(.sendOnChannel, peripheral: peer)
                }
            )
        }
    }

    /// Called with each packet in order, beginning with the packets received before it was set.
    ///
    /// While it is `nil` and no task reads ``received``, or while 64 packets wait for the actor of the closure,
    /// up to 256 KiB of packets are buffered; then flow control stops the peer.
    public var onReceive: (@isolated(any) (Data) -> Void)? {
        get { receiveHandler.latest.map { handler in { handler.call($0) } } }
        set {
            let handler = newValue.map {
                PacedCallback(
                    on: host.mainLoop.context,
                    limit: Self.maximumWaitingPackets,
                    $0
                )
            }
            handler?.onRoom = { [weak self] in Self.deliver(to: { self }) }
            receiveHandler.set(handler, on: host.mainLoop) { [weak self] in
                if $0 != nil { self?.deliverLater() }
            }
        }
    }

    private func deliverLater() {
        host.mainLoop.post { [weak self] in Self.deliver(to: { self }) }
    }

    // No strong reference stays while a callback runs.
    private static func deliver(to channel: () -> L2CAPChannel?) {
        let delivery = channel()?.delivery
        delivery?.run { channel()?.nextDelivery() }
    }

    /// Returns the delivery of the next packet; nil ends the delivery.
    private func nextDelivery() -> (() -> Void)? {
        let handler = receiveHandler.applied
        // After the end, the buffered packets precede the report of the end.
        let canDeliver = handler.map { $0.hasRoom || closeReason != nil } ?? delivery.hasWaiters
        guard canDeliver, let packet = channel?.receive() else { return nil }
        if let handler { return { handler.call(Data(packet)) } }
        let completion = delivery.popWaiter()
        return { completion?(Data(packet)) }
    }

    /// Sends one packet; an error is logged.
    @available(*, noasync, message: "call it in a function, where Swift chooses the awaited form")
    public func send(_ data: Data) {
        let log = Log("bluejay.channel", to: nil, ["psm": "\(psm)"])
        send(data, completion: log.failureLog())
    }

    /// Closes the channel when its packets are sent, within 10 s.
    @available(*, noasync, message: "call it in a function, where Swift chooses the awaited form")
    public func close() {
        host.mainLoop.callOrPost { [self] in closeOnLoop(within: ChannelLimits.closeTimeout) }
    }

    // MARK: Tasks

    /// Connects to the peer if necessary, and opens the channel; may be called once, from any thread.
    ///
    /// Cancelling the task closes the channel.
    ///
    /// - Parameter timeout: The time limit. Without one, BlueZ stops trying after 41 s.
    /// - Throws: The errors of ``open(timeout:completion:)``, or `CancellationError`.
    public func open(timeout: Timeout = .seconds(30)) async throws {
        try await awaited(host.mainLoop) { [self] completion in
            open(within: timeout.duration, completion)
        } cancel: { [self] in
            closeOnLoop(within: .zero)
        }
    }

    /// Sends a packet after the packets of earlier calls, from any thread.
    ///
    /// Returns when the kernel has accepted the packet, which slows the sender to the peer's pace;
    /// ``flush(timeout:)`` waits until it is sent. Cancelling the task does not cancel the packet.
    ///
    /// - Parameter data: At most ``maximumSDU`` bytes.
    /// - Throws: The errors of ``send(_:completion:)``, or `CancellationError`.
    public func send(_ data: Data) async throws {
        try await awaited(host.mainLoop) { [self] completion in
            sendOnLoop(data, completion)
        } cancel: {
        }
    }

    /// Sends data of any length in packets of ``maximumSDU`` bytes, from any thread.
    ///
    /// Returns when all of the data is sent. The packets of several such calls follow each other; those of other
    /// sends may come between them. Cancelling the task drops the packets that are not queued.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - progress: Called with the number of accepted bytes after each packet.
    /// - Throws: The errors of ``send(contentsOf:progress:completion:)``, or `CancellationError`.
    public func send(
        contentsOf data: Data,
        progress: (@Sendable @isolated(any) (Int) -> Void)? = nil
    ) async throws {
        let message = LockedValue(0)
        try await awaited(host.mainLoop) { [self] completion in
            let progress = progress.map { host.mainLoop.context.callback($0) }
            message.value = writer.send(data, on: self, progress: progress, completion)
        } cancel: { [self] in
            writer.cancel(message.value)
        }
    }

    /// Waits until the packets of all earlier calls are sent, from any thread.
    ///
    /// Cancelling the task ends the wait only.
    ///
    /// - Parameter timeout: The time limit; a negative one asks for the present state.
    /// - Throws: The errors of ``flush(timeout:completion:)``, or `CancellationError`.
    public func flush(timeout: Timeout = .seconds(30)) async throws {
        let flush = LockedValue<Int?>(nil)
        try await awaited(host.mainLoop) { [self] completion in
            flush.value = flushOnLoop(within: timeout.duration, completion)
        } cancel: { [self] in
            if let id = flush.value { channel?.cancelFlush(id) }
        }
    }

    /// Closes the channel when its packets are sent, from any thread.
    ///
    /// Returns when its link is down or remains in use by others. Cancelling the task discards the packets, and
    /// the call returns their number of bytes.
    ///
    /// - Parameter timeout: The time limit for the packets; a negative one discards them.
    /// - Returns: The number of bytes that may not have reached the peer: ``unsentByteCount``.
    @discardableResult
    public func close(timeout: Timeout = .seconds(10)) async -> Int {
        let rendezvous = Rendezvous<Int>()
        host.mainLoop.post { [self] in
            closeOnLoop(within: timeout.duration) { rendezvous.send($0) }
        }
        return await rendezvous.value(from: host.mainLoop) { [self] in closeOnLoop(within: .zero) }
    }

    /// The received packets in order, from any thread; the sequence ends after the last one.
    ///
    /// Packets are buffered as for ``onReceive``, which takes precedence. Each packet is delivered to one
    /// task.
    public var received: L2CAPPackets { L2CAPPackets(channel: self) }

    func nextPacket() async -> Data? {
        await next(on: host.mainLoop) { [self] in
            nextPacket($0, $1)
        } stopWaiting: { [self] in
            delivery.stopWaiting($0)
        }
    }

    /// Passes the next packet to `completion`, or nil at the end of the channel.
    private func nextPacket(_ id: Int, _ completion: @escaping (Data?) -> Void) {
        delivery.add(id, completion)
        Self.deliver(to: { self })
        if publicState.value.end != nil || channel == nil || hasOpenFailed {
            delivery.stopWaiting(id)
        }
    }
}
