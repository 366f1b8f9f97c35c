public import FoundationEssentials

/// The game of a host: it receives the events of its players and supplies the messages to them.
///
/// All members are called on the main actor, in the order of the events.
@MainActor
public protocol BrainSDK: AnyObject {
    /// Returns the name under which players find the game.
    ///
    /// Called once for each ``BLEHostManager/startAdvertising()``, when Bluetooth is usable and the service
    /// is registered. The advertisement truncates a name of more than 29 UTF-8 bytes to the characters that
    /// fit.
    func startHostAdvertising() -> String

    /// The game has ended; called once after each ``startHostAdvertising()``.
    func stopHostAdvertising()

    /// A player has joined or rejoined.
    ///
    /// - Parameters:
    ///   - peerId: `peer-` with eight hexadecimal digits; unchanged if the player rejoins in time.
    ///   - peerName: `Player N`, where N is unique among the present players.
    func onPeerConnected(peerId: String, peerName: String)

    /// A player has left; called once for each ``onPeerConnected(peerId:peerName:)``.
    func onPeerDisconnected(peerId: String)

    /// A player has sent a complete message.
    func onDataReceived(fromPeerId: String, data: Data)

    /// The messages to send; one reader receives them while the host advertises.
    ///
    /// The host requests the stream once after each ``startHostAdvertising()``: one stream for all sessions,
    /// or a new stream each time, which replaces the previous one. Messages that arrive while Bluetooth is
    /// off are taken and rejected.
    var outgoingPackets: AsyncStream<OutgoingPacket> { get }
}

/// A message from the game to one player or to all.
public struct OutgoingPacket: Hashable, Swift.Sendable {
    /// The id of the player, or `nil` for all players.
    public let targetPeerId: String?
    /// The message; in fragments at most ``PacketFragmenter/maximumMessageLength(mtu:)`` bytes.
    public let data: Data

    /// Creates a message.
    public init(targetPeerId: String?, data: Data) {
        self.targetPeerId = targetPeerId
        self.data = data
    }

    /// Creates a message to all players.
    public static func broadcast(_ data: Data) -> OutgoingPacket {
        OutgoingPacket(targetPeerId: nil, data: data)
    }

    /// Creates a message to one player.
    public static func unicast(_ peerId: String, _ data: Data) -> OutgoingPacket {
        OutgoingPacket(targetPeerId: peerId, data: data)
    }
}
