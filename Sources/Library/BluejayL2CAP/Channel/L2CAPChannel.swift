internal import BluejayBlueZ
public import BluejayCore
internal import BluejayGLib
internal import DequeModule
public import FoundationEssentials

/// An L2CAP channel of Bluetooth Low Energy: packets in both directions, with flow control.
///
/// A packet is an SDU of the specification: at most ``maximumSDU`` bytes to the peer, and at most
/// ``maximumReceivedSDU`` from it. Linux keeps packet boundaries; other systems may join packets, so a
/// message should carry its own length. Like a connection of `Bluejay`, a channel holds the link to its peer:
/// it establishes the link, the last holder disconnects it, and the channel ends with the link.
///
/// Any thread may call it: calls from other threads are posted to the loop of ``host``, in the order of the
/// thread's calls. Callbacks run on the loop. Each completion is called exactly once, after its call has
/// returned. Releasing a channel closes it.
///
/// ```swift
/// let channel = L2CAPChannel(to: sensor, psm: 0x80)
/// try await channel.open()
/// try await channel.send(Data("log".utf8))
/// for await packet in channel.received { print(packet.count) }
/// ```
public final class L2CAPChannel: @unchecked Swift.Sendable {
    // Calls from other threads are posted to the loop, which owns the mutable state; the snapshot and the
    // loop properties are thread-safe. That is the invariant behind `@unchecked`.

    /// The completion of a call: success, or a ``BluejayError``.
    public typealias Completion = (Result<Void, any Error>) -> Void

    /// The maximum length of a received packet.
    public static let maximumReceivedSDU = Int(ChannelLimits.receiveMTU)

    /// The host whose adapter the channel uses.
    public let host: BluetoothHost
    /// The peer at the other end.
    public let peer: PeripheralIdentifier
    /// The PSM on which the peer, or this program, listens.
    public let psm: UInt16

    private let security: L2CAPSecurity
    private let publicState = LockedValue(PublicState())
    private let receiveHandler = LoopProperty<((Data) -> Void)?>(nil)
    private let endHandler = LoopProperty<((L2CAPCloseReason) -> Void)?>(nil)
    private var tracker: AdapterTracker?
    private var channel: Channel?
    private var waiters: Deque<(id: Int, completion: (Data?) -> Void)> = []
    private var isDelivering = false
    private var hasOpenFailed = false

    private struct PublicState: Swift.Sendable {
        var maximumSDU = 0
        var isOpen = false
        var end: L2CAPCloseReason?
    }

    /// Creates a channel; Bluetooth is not used before the channel is opened.
    ///
    /// - Parameters:
    ///   - peer: A peripheral that is known to bluetoothd or advertising.
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
        _ peer: PeripheralIdentifier,
        _ tracker: AdapterTracker,
        _ host: BluetoothHost
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
            channel?.close()
        }
        if host.mainLoop.isCurrent { close() } else { host.mainLoop.post(close) }
    }

    /// The maximum length of a packet to the peer, its MTU; 0 before the channel is open.
    public var maximumSDU: Int { publicState.value.maximumSDU }

    /// Whether packets can be sent.
    public var isOpen: Bool { publicState.value.isOpen }

    /// The reason for the end of the channel; `nil` before the end, and if the channel was never open.
    public var closeReason: L2CAPCloseReason? { publicState.value.end }

    private var state: BluetoothState { tracker?.state ?? .unknown }

    private func onNextIteration(_ work: @escaping () -> Void) {
        let work = UncheckedTransfer(work)
        host.mainLoop.post { work.value() }
    }

    // MARK: Opening and closing

    /// Connects to the peer if necessary, and opens the channel; may be called once.
    ///
    /// - Parameters:
    ///   - timeout: The time limit. Without one, BlueZ stops trying after 41 s.
    ///   - completion: Fails with ``BluejayError/invalidPSM(_:)``, ``BluejayError/bluetoothUnavailable(_:)``,
    ///     ``BluejayError/connectionTimedOut``, ``BluejayError/connectionFailed(_:)``,
    ///     ``BluejayError/channelRefused`` if the peer does not listen, ``BluejayError/notPaired`` if the
    ///     link cannot reach the security that one end requires, ``BluejayError/cancelled`` if the channel
    ///     was closed meanwhile, or ``BluejayError/notSupported(_:)`` if the kernel does not support
    ///     Bluetooth.
    public func open(
        timeout: Timeout = .seconds(30),
        completion: @escaping @isolated(any) (Result<Void, any Error>) -> Void
    ) {
        let completion = host.mainLoop.context.callback(completion)
        host.mainLoop.callOrPost { [self] in open(within: timeout.duration, completion) }
    }

    private func open(within limit: Duration?, _ completion: @escaping Completion) {
        guard let address = peer.deviceAddress else {
            return onNextIteration { [peer] in
                completion(.failure(BluejayError.unexpectedPeripheral(peer).during(.openChannel)))
            }
        }
        guard channel == nil else {
            return onNextIteration { completion(.failure(BluejayError.inUse("the channel"))) }
        }
        let tracker = AdapterTracker(host)
        let channel = Channel(to: address, psm: psm, security: security.rawValue, tracker: tracker)
        self.tracker = tracker
        attach(channel)
        channel.open(within: limit) { [weak self, weak channel, peer, psm] result in
            guard let self, let channel else {
                return completion(.failure(BluejayError.cancelled))
            }
            switch result {
            case .success:
                opened(channel)
                completion(.success(()))
            case .failure(let failure):
                hasOpenFailed = true
                finishWaiters()
                let error = BluejayError(failure, psm: psm, state: state)
                completion(.failure(error.during(.openChannel, peripheral: peer)))
            }
        }
    }

    private func attach(_ channel: Channel) {
        self.channel = channel
        channel.onReceived = { [weak self] in Self.deliver(to: { self }) }
        channel.onEnd = { [weak self] end in Self.ended(L2CAPCloseReason(end), { self }) }
    }

    private func opened(_ channel: Channel) {
        guard channel.isOpen else { return }
        publicState.value.maximumSDU = channel.sendMTU
        publicState.value.isOpen = true
    }

    /// Closes the channel, or cancels its opening; a second call does nothing.
    ///
    /// Queued packets fail with ``BluejayError/channelClosed``, and received packets are discarded. A packet
    /// that the kernel has accepted may not have reached the peer: both ends should agree on a last packet.
    ///
    /// - Parameter completion: Called when the link is down, or remains in use by others.
    public func close(completion: @escaping @isolated(any) () -> Void) {
        let completion = host.mainLoop.context.callback(completion)
        host.mainLoop.callOrPost { [self] in closeOnLoop(completion) }
    }

    private func closeOnLoop(_ completion: (() -> Void)? = nil) {
        guard let channel else {
            if let completion { onNextIteration(completion) }
            return
        }
        // The end is reported on the next iteration; the user may release the channel before that.
        if channel.isOpen {
            channel.onEnd = { [self] in Self.ended(L2CAPCloseReason($0), { self }) }
        }
        channel.close(then: completion)
    }

    /// Called once when an open channel has ended, after the packets received before.
    public var onEnd: (@isolated(any) (L2CAPCloseReason) -> Void)? {
        get { endHandler.latest }
        set {
            endHandler.set(newValue.map { host.mainLoop.context.callback($0) }, on: host.mainLoop)
        }
    }

    // As in `deliver`, a callback may release the channel.
    private static func ended(_ end: L2CAPCloseReason, _ channel: () -> L2CAPChannel?) {
        channel()?.publishEnd(end)
        deliver(to: channel)
        channel()?.finishWaiters()
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
    /// Up to 256 KiB of packets are queued while the peer accepts none. An empty packet is not sent.
    ///
    /// - Parameters:
    ///   - data: At most ``maximumSDU`` bytes.
    ///   - completion: Called when the kernel has accepted the packet. Fails with
    ///     ``BluejayError/valueTooLong(length:limit:)``, ``BluejayError/channelFull(limit:)`` if the queue is
    ///     full, ``BluejayError/channelClosed``, or the reason for the end of the channel.
    public func send(
        _ data: Data,
        completion: @escaping @isolated(any) (Result<Void, any Error>) -> Void
    ) {
        let completion = host.mainLoop.context.callback(completion)
        host.mainLoop.callOrPost { [self] in sendOnLoop(data, completion) }
    }

    private func sendOnLoop(_ data: Data, _ completion: @escaping Completion) {
        let peer = peer
        guard let channel else {
            let error = BluejayError.channelClosed.during(.sendOnChannel, peripheral: peer)
            return onNextIteration { completion(.failure(error)) }
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

    /// Called with each packet in order, beginning with the packets received before it was set.
    ///
    /// While it is `nil` and no task reads ``received``, up to 256 KiB of packets are buffered; then flow
    /// control stops the peer.
    public var onReceive: (@isolated(any) (Data) -> Void)? {
        get { receiveHandler.latest }
        set {
            let handler = newValue.map { host.mainLoop.context.callback($0) }
            receiveHandler.set(handler, on: host.mainLoop) { [weak self] in
                if $0 != nil { self?.deliverLater() }
            }
        }
    }

    private func deliverLater() {
        host.mainLoop.post { [weak self] in Self.deliver(to: { self }) }
    }

    /// Delivers the received packets to the handler or to waiting tasks.
    ///
    /// No strong reference stays while a callback runs: if a callback releases the channel, the delivery ends.
    private static func deliver(to channel: () -> L2CAPChannel?) {
        guard channel()?.startDelivery() == true else { return }
        while let deliver = channel()?.nextDelivery() { deliver() }
    }

    // If a callback calls `deliver` again, the outer delivery continues with the next packet.
    private func startDelivery() -> Bool {
        guard !isDelivering, channel != nil else { return false }
        isDelivering = true
        return true
    }

    /// Returns the delivery of the next packet; nil ends the delivery.
    private func nextDelivery() -> (() -> Void)? {
        let handler = receiveHandler.applied
        guard handler != nil || !waiters.isEmpty, let packet = channel?.receive() else {
            isDelivering = false
            return nil
        }
        if let handler { return { handler(Data(packet)) } }
        let waiter = waiters.popFirst()
        return { waiter?.completion(Data(packet)) }
    }

    /// Sends one packet; an error is logged.
    @available(*, noasync, message: "call it in a function, where Swift chooses the awaited form")
    public func send(_ data: Data) {
        let log = Log("bluejay.channel", to: nil, ["psm": "\(psm)"])
        send(data, completion: log.failureLog())
    }

    /// Closes the channel.
    @available(*, noasync, message: "call it in a function, where Swift chooses the awaited form")
    public func close() {
        close {}
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
            closeOnLoop()
        }
    }

    /// Sends a packet after the packets of earlier calls, from any thread.
    ///
    /// Returns when the kernel has accepted the packet, which slows the sender to the peer's pace. Cancelling
    /// the task does not cancel the packet.
    ///
    /// - Parameter data: At most ``maximumSDU`` bytes.
    /// - Throws: The errors of ``send(_:completion:)``, or `CancellationError`.
    public func send(_ data: Data) async throws {
        try await awaited(host.mainLoop) { [self] completion in
            sendOnLoop(data, completion)
        } cancel: {
        }
    }

    /// Closes the channel, from any thread; returns when its link is down or remains in use by others.
    public func close() async {
        await withCheckedContinuation { continuation in
            host.mainLoop.post { [self] in closeOnLoop { continuation.resume() } }
        }
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
            stopWaiting($0)
        }
    }

    /// Passes the next packet to `completion`, or nil at the end of the channel.
    private func nextPacket(_ id: Int, _ completion: @escaping (Data?) -> Void) {
        waiters.append((id, completion))
        Self.deliver(to: { self })
        if publicState.value.end != nil || channel == nil || hasOpenFailed { stopWaiting(id) }
    }

    private func stopWaiting(_ id: Int) {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
        waiters.remove(at: index).completion(nil)
    }

    private func finishWaiters() {
        while let waiter = waiters.popFirst() { waiter.completion(nil) }
    }
}
