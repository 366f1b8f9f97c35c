public import BluejayCore
public import BluejayGATTServer
public import FoundationEssentials

/// The host of a game: players find it, write to it and receive its packets.
///
/// The host is used on the main actor and calls its game there, whichever loop `host` names; events of that
/// loop arrive in order. Calls take effect in their order.
///
/// The host advertises until ``stopAdvertising()`` or its deallocation, also while players join and leave. If
/// Bluetooth becomes unavailable, it reports that all players have left, and continues by itself when
/// Bluetooth is available again.
@MainActor
public final class BLEHostManager: @MainActor BLEManagerProtocol {
    /// The mapping of messages to values.
    public enum Framing: Hashable, Swift.Sendable {
        /// ``PacketFragmenter`` fragments in both directions.
        case fragments
        /// One value per message; a longer message is rejected.
        case raw
    }

    /// The options of a host.
    public struct Settings: Swift.Sendable {
        /// The mapping of messages to values; players must use the same.
        public var framing = Framing.fragments
        /// How long the id and name of a player that left are reserved for it.
        public var reconnectionWindow: Duration = .seconds(30)
        /// How long messages are collected before they are sent together, in order.
        public var flushInterval: Duration = .milliseconds(50)
        /// The minimum delay of ``BLEHostManager/disconnectGracefully()``; the maximum is 300 ms, or this
        /// delay if it is longer.
        public var goodbyeDelay: Duration = .milliseconds(100)
        /// The maximum delay of a goodbye, unless ``goodbyeDelay`` is longer.
        static let goodbyeTimeout = Duration.milliseconds(300)
        /// The maximum number of simultaneous players; further ones are reported only when a place is free.
        public var maximumPeers = 8
        /// The maximum number of bytes queued per player, where each message counts 64 bytes more than its
        /// size; a message beyond it fails with ``DeliveryFailure/queueFull``.
        public var maximumQueuedBytes = 262_144

        /// Creates the default settings.
        public init() {}
    }

    /// The game.
    public let sdk: any BrainSDK
    /// Whether players can find the host now.
    public private(set) var isAdvertising = false
    /// The state of the host.
    public private(set) var state = HostState.idle
    /// Whether Bluetooth is usable, as far as the host knows since its start.
    public private(set) var bluetoothState = BluetoothState.unknown
    /// Called for each message that a player does not receive, with the message as addressed to that player.
    public var onDeliveryFailure: ((OutgoingPacket, DeliveryFailure) -> Void)?

    /// The number of present players.
    public var connectedPeerCount: Int { centrals.count }
    /// The ids of the present players, in the order in which they joined.
    public private(set) var peerIds: [String] = []
    /// Counts of the data that the game did not receive since the creation of the host; thread-safe.
    public var statistics: HostStatistics { bridge.statistics }

    private let bridge: HostBridge
    private let forwarder = OutgoingPacketForwarder()
    private var centrals: [String: Central] = [:]
    private var qualities: [String: ConnectionQuality] = [:]
    private var observers: [Int: AsyncStream<HostState>.Continuation] = [:]
    private var lastObserver = 0
    private var session = 0
    private var isStarted = false
    /// Whether the name of the game was requested, and `stopHostAdvertising()` is still to be called.
    private var isSDKHosting = false
    private var makeGoodbye: (() -> OutgoingPacket?)?

    /// Creates a host; it does not use Bluetooth before ``startAdvertising()``.
    ///
    /// - Parameters:
    ///   - sdk: The game; retained until the host is deallocated.
    ///   - settings: The options.
    ///   - host: The loop, the adapter and the bus.
    public init(
        sdk: any BrainSDK,
        settings: Settings = Settings(),
        host: BluetoothHost = BluetoothHost()
    ) {
        self.sdk = sdk
        bridge = HostBridge(settings, host)
        bridge.listen { [weak self] in self?.receive($0) }
    }

    isolated deinit {
        stopAdvertising()
        forwarder.end()
        for observer in observers.values { observer.finish() }
    }

    // MARK: Hosting

    /// Opens the game; has no effect if the game is open.
    ///
    /// The call never fails: ``state`` shows what the host waits for, or that its main loop has ended.
    public func startAdvertising() {
        guard !isStarted else { return }
        guard !bridge.isEnding else { return setState(.failed("the main loop has ended")) }
        isStarted = true
        session += 1
        bridge.post { [session] in $0.start(session) }
    }

    /// Closes the game.
    ///
    /// Before the call returns, the game is notified that all players have left, and then of the end. The
    /// links stay up until the players end them.
    public func stopAdvertising() {
        guard isStarted else { return }
        isStarted = false
        // Pending events belong to the session that has ended.
        session += 1
        let ended = session
        bridge.post { $0.stop() }
        forwarder.close()
        isAdvertising = false
        let wasHosting = isSDKHosting
        isSDKHosting = false
        // The game may start the next session in any of these calls.
        for id in peerIds { removePeer(id) }
        if wasHosting { sdk.stopHostAdvertising() }
        if session == ended { setState(.idle) }
    }

    /// The present state and all following ones; for a slow reader the latest 16 are kept.
    ///
    /// The stream ends with the loop of the host.
    public var changes: AsyncStream<HostState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: HostState.self,
            bufferingPolicy: .bufferingNewest(16)
        )
        lastObserver += 1
        let number = lastObserver
        observers[number] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { @MainActor in self?.observers[number] = nil }
        }
        continuation.yield(state)
        if bridge.isEnding { continuation.finish() }
        return stream
    }

    // MARK: Sending

    /// Sends a message: it is collected with others and sent within ``Settings/flushInterval``.
    ///
    /// Returns when the message is queued, or was rejected, which ``onDeliveryFailure`` reports.
    public func sendPacket(_ packet: OutgoingPacket) async {
        await withCheckedContinuation { continuation in
            bridge.post { server in
                server.enqueue(packet)
                continuation.resume()
            }
        }
    }

    /// Sends a message like ``sendPacket(_:)``, but returns immediately.
    public func sendData(_ data: Data, to peerId: String?) {
        let packet = OutgoingPacket(targetPeerId: peerId, data: data)
        bridge.post { $0.enqueue(packet) }
    }

    /// Sets the source of the goodbye message to all players; `nil`, the default, sends none.
    public func setGoodbyePacket(_ make: (() -> OutgoingPacket?)?) { makeGoodbye = make }

    /// Sends the goodbye message, waits until it has left, and stops.
    ///
    /// Waits at least ``Settings/goodbyeDelay``. For a player that does not read it waits up to 300 ms, or
    /// that delay if it is longer.
    public func disconnectGracefully() {
        guard isStarted else { return }
        let packet = makeGoodbye?()
        bridge.post { $0.sayGoodbye(packet) }
    }

    // MARK: Players

    /// Returns the device of a present player.
    public func central(of peerId: String) -> Central? { centrals[peerId] }

    /// Returns the player of a device, while it is present.
    public func peerId(of central: Central) -> String? {
        peerIds.first { centrals[$0]?.identifier == central.identifier }
    }

    /// Treats a player as lost before its link has ended.
    ///
    /// The game is notified. The player keeps its id and name if it subscribes again within
    /// ``Settings/reconnectionWindow``. The end of a link is detected without this call.
    public func handleConnectionLoss(for central: Central) {
        bridge.post { $0.connectionLost(central.identifier) }
    }

    /// Sets the signal strength of a player, which BlueZ does not measure.
    ///
    /// - Parameters:
    ///   - central: The device of the player.
    ///   - rssi: In dBm; an invalid value, such as 127 for "unknown", changes nothing.
    public func updateConnectionQuality(for central: Central, rssi: Int) {
        guard ConnectionQuality.rssiRange.contains(rssi), let id = peerId(of: central) else {
            return
        }
        qualities[id] = ConnectionQuality(rssi: rssi)
    }

    /// Returns the quality last set by ``updateConnectionQuality(for:rssi:)``, or `nil`.
    public func connectionQuality(of peerId: String) -> ConnectionQuality? { qualities[peerId] }

    /// Requests a link with a lower latency.
    ///
    /// - Returns: False: BlueZ has no such request.
    @discardableResult
    public func setDesiredConnectionLatency(
        _ latency: ConnectionLatency,
        for central: Central
    ) -> Bool { false }

    // MARK: Events

    private func receive(_ sessionEvent: SessionEvent) {
        if case .failed(let packet, let failure) = sessionEvent.event {
            onDeliveryFailure?(packet, failure)
            return
        }
        if case .loopEnded = sessionEvent.event { return loopEnded() }
        guard isStarted, sessionEvent.session == session else { return }
        switch sessionEvent.event {
        case .bluetooth(let state): bluetoothState = state
        case .state(let state): follow(state)
        case .requestName:
            isSDKHosting = true
            let name = sdk.startHostAdvertising()
            forwarder.read(sdk.outgoingPackets) { [weak self] in await self?.sendPacket($0) }
            bridge.post { [session] in $0.receiveName(name, session) }
        case .playerJoined(let central, let id, let name):
            peerIds.append(id)
            centrals[id] = central
            sdk.onPeerConnected(peerId: id, peerName: name)
        case .changed(let central, let id):
            if centrals[id] != nil { centrals[id] = central }
        case .playerLeft(let id): removePeer(id)
        case .data(let data, let id):
            bridge.post { $0.delivered(data.count + 64, from: id) }
            if centrals[id] != nil { sdk.onDataReceived(fromPeerId: id, data: data) }
        case .saidGoodbye: stopAdvertising()
        case .failed, .loopEnded: break
        }
    }

    private func loopEnded() {
        stopAdvertising()
        bluetoothState = .unknown
        for observer in observers.values { observer.finish() }
    }

    private func follow(_ state: HostState) {
        if case .advertising = state {
            isAdvertising = true
            setState(state)
            forwarder.open()
        } else {
            isAdvertising = false
            setState(state)
        }
    }

    private func removePeer(_ id: String) {
        guard centrals.removeValue(forKey: id) != nil else { return }
        peerIds.removeAll { $0 == id }
        qualities[id] = nil
        sdk.onPeerDisconnected(peerId: id)
    }

    private func setState(_ new: HostState) {
        guard new != state else { return }
        state = new
        for observer in observers.values { observer.yield(new) }
    }
}
