public import BluejayCore
public import BluejayGATTServer
public import FoundationEssentials

/// The host of a game: players find it, write to it and hear from it, and the game beside it is told.
///
/// It is used on the main actor, and tells its game there, whatever loop the `host` names: what happens on
/// that loop comes in order. What is asked for is done behind what was asked for before.
///
/// It advertises until ``stopAdvertising()`` or its release, also while players come and go; when Bluetooth goes it tells
/// that all players have left, and goes on by itself when Bluetooth is back.
@MainActor
public final class BLEHostManager: @MainActor BLEManagerProtocol {
    /// How messages are put into values.
    public enum Framing: Hashable, Swift.Sendable {
        /// In fragments of ``PacketFragmenter``, both ways.
        case fragments
        /// A message is a value; a longer one is refused.
        case raw
    }

    /// What can be chosen.
    public struct Settings: Swift.Sendable {
        /// How messages are put into values; the players have to do the same.
        public var framing = Framing.fragments
        /// How long a player who has left finds its id and name again.
        public var reconnectionWindow: Duration = .seconds(30)
        /// How long messages are gathered before they are sent together, in order.
        public var flushInterval: Duration = .milliseconds(50)
        /// How long ``BLEHostManager/disconnectGracefully()`` waits at least; at most it waits 300 ms, or
        /// this if that is longer.
        public var goodbyeDelay: Duration = .milliseconds(100)
        /// The most that play at once; others are not told of until somebody leaves.
        public var maximumPeers = 8
        /// The most bytes that wait for a player, where each message counts 64 more than it has; what is
        /// too much fails with ``DeliveryFailure/queueFull``.
        public var maximumQueuedBytes = 262_144

        /// The settings as they are described.
        public init() {}
    }

    /// The game.
    public let sdk: any BrainSDK
    /// Whether players can find it now.
    public private(set) var isAdvertising = false
    /// How far it is.
    public private(set) var state = HostState.idle
    /// Whether Bluetooth can be used, as far as is known since the start.
    public private(set) var bluetoothState = BluetoothState.unknown
    /// Called for each message that a player does not get, with the message as it was for that player.
    public var onDeliveryFailure: ((OutgoingPacket, DeliveryFailure) -> Void)?

    /// How many players are there.
    public var connectedPeerCount: Int { centrals.count }
    /// The ids of the players who are there, in the order in which they came.
    public private(set) var peerIds: [String] = []
    /// What of all that came the game was not given, since this was made; safe to ask for at any time.
    public var statistics: HostStatistics { link.statistics }

    private let link: HostBridge
    private let pump = OutgoingPacketForwarder()
    private var centrals: [String: Central] = [:]
    private var qualities: [String: ConnectionQuality] = [:]
    private var observers: [Int: AsyncStream<HostState>.Continuation] = [:]
    private var lastObserver = 0
    private var session = 0
    private var isStarted = false
    /// Whether the game was asked for its name, and not told of the end.
    private var isSDKHosting = false
    private var makeGoodbye: (() -> OutgoingPacket?)?

    /// Makes a host; Bluetooth is not touched before ``startAdvertising()``.
    ///
    /// - Parameters:
    ///   - sdk: The game; held until this is let go.
    ///   - settings: What can be chosen.
    ///   - host: Where Bluetooth is.
    public init(
        sdk: any BrainSDK,
        settings: Settings = Settings(),
        host: BluetoothHost = BluetoothHost()
    ) {
        self.sdk = sdk
        link = HostBridge(settings, host)
        link.listen { [weak self] in self?.receive($0) }
    }

    isolated deinit {
        stopAdvertising()
        pump.end()
        for observer in observers.values { observer.finish() }
    }

    // MARK: Hosting

    /// Opens the game; does nothing when it is open.
    ///
    /// It never fails: ``state`` says what it waits for.
    public func startAdvertising() {
        guard !isStarted else { return }
        isStarted = true
        session += 1
        link.post { [session] in $0.start(session) }
    }

    /// Ends the game: players are told of as having left, and the game of its end, before this returns.
    ///
    /// The links of the players stay until they end them.
    public func stopAdvertising() {
        guard isStarted else { return }
        isStarted = false
        // What is still on its way belongs to the session that has ended.
        session += 1
        let ended = session
        link.post { $0.stop() }
        pump.close()
        isAdvertising = false
        let wasHosting = isSDKHosting
        isSDKHosting = false
        // The game may start the next session in any of these calls.
        for id in peerIds { removePeer(id) }
        if wasHosting { sdk.stopHostAdvertising() }
        if session == ended { setState(.idle) }
    }

    /// The states from now on, the present one first; of a reader that does not read, the last 16 are kept.
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
        return stream
    }

    // MARK: Sending

    /// Sends a message: it is gathered with others and sent within ``Settings/flushInterval``.
    ///
    /// Returns when the message has its place behind those before, or was refused, which
    /// ``onDeliveryFailure`` tells.
    public func sendPacket(_ packet: OutgoingPacket) async {
        await withCheckedContinuation { continuation in
            link.post { server in
                server.offer(packet)
                continuation.resume()
            }
        }
    }

    /// Sends a message as ``sendPacket(_:)`` does, and returns at once.
    public func sendData(_ data: Data, to peerId: String?) {
        let packet = OutgoingPacket(targetPeerId: peerId, data: data)
        link.post { $0.offer(packet) }
    }

    /// What is said to all at the end; nil, as at first, says nothing.
    public func setGoodbyePacket(_ make: (() -> OutgoingPacket?)?) { makeGoodbye = make }

    /// Says goodbye, waits until that has left, and stops.
    ///
    /// It waits 100 ms at least, and 300 ms at most, for a player that does not read.
    public func disconnectGracefully() {
        guard isStarted else { return }
        let packet = makeGoodbye?()
        link.post { $0.sayGoodbye(packet) }
    }

    // MARK: Players

    /// The device of a player who is there.
    public func central(of peerId: String) -> Central? { centrals[peerId] }

    /// The player of a device, while it is there.
    public func peerId(of central: Central) -> String? {
        peerIds.first { centrals[$0]?.identifier == central.identifier }
    }

    /// Takes a player for lost before its link has ended.
    ///
    /// The game is told, and the player finds its id and name when it subscribes within
    /// ``Settings/reconnectionWindow``. Links that end are noticed without it.
    public func handleConnectionLoss(for central: Central) {
        link.post { $0.lose(central.identifier) }
    }

    /// Tells how well a player is heard; BlueZ does not know.
    ///
    /// - Parameters:
    ///   - central: The device of the player.
    ///   - rssi: In dBm; what is no strength, such as 127 for "not known", changes nothing.
    public func updateConnectionQuality(for central: Central, rssi: Int) {
        guard ConnectionQuality.strengths.contains(rssi), let id = peerId(of: central) else {
            return
        }
        qualities[id] = ConnectionQuality(rssi: rssi)
    }

    /// What ``updateConnectionQuality(for:rssi:)`` has last told of a player; nil when nothing.
    public func connectionQuality(of peerId: String) -> ConnectionQuality? { qualities[peerId] }

    /// Asks for a link that answers faster.
    ///
    /// - Returns: False: BlueZ lets nobody ask.
    @discardableResult
    public func setDesiredConnectionLatency(
        _ latency: ConnectionLatency,
        for central: Central
    ) -> Bool { false }

    // MARK: What has happened

    private func receive(_ numbered: SessionEvent) {
        if case .failed(let packet, let failure) = numbered.event {
            onDeliveryFailure?(packet, failure)
            return
        }
        guard isStarted, numbered.session == session else { return }
        switch numbered.event {
        case .bluetooth(let state): bluetoothState = state
        case .state(let state): follow(state)
        case .askName:
            isSDKHosting = true
            let name = sdk.startHostAdvertising()
            pump.read(sdk.outgoingPackets) { [weak self] in await self?.sendPacket($0) }
            link.post { [session] in $0.named(name, session) }
        case .joined(let central, let id, let name):
            peerIds.append(id)
            centrals[id] = central
            sdk.onPeerConnected(peerId: id, peerName: name)
        case .changed(let central, let id):
            if centrals[id] != nil { centrals[id] = central }
        case .left(let id): removePeer(id)
        case .data(let data, let id):
            link.post { $0.delivered(data.count + 64, from: id) }
            if centrals[id] != nil { sdk.onDataReceived(fromPeerId: id, data: data) }
        case .saidGoodbye: stopAdvertising()
        case .failed: break
        }
    }

    private func follow(_ state: HostState) {
        if case .advertising = state {
            isAdvertising = true
            setState(state)
            pump.open()
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
