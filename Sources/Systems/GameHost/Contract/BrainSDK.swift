public import FoundationEssentials

/// A game beside a host: what it is told of its players, and what it has to say to them.
///
/// All of it is called on the main actor, in the order in which it happened.
@MainActor
public protocol BrainSDK: AnyObject {
    /// The game is open: gives the name that players find it by.
    ///
    /// Called once for each ``BLEHostManager/startAdvertising()``, when Bluetooth can be used and the
    /// service is there. Of a name over 29 bytes of UTF-8 as many characters as fit are advertised.
    func startHostAdvertising() -> String

    /// The game is over: called once after each ``startHostAdvertising()``.
    func stopHostAdvertising()

    /// A player has joined, or come back.
    ///
    /// - Parameters:
    ///   - peerId: `peer-` with eight hexadecimal digits; the same when it comes back in time.
    ///   - peerName: `PeripheralProcess N`, where no two that are present have the same N.
    func onPeerConnected(peerId: String, peerName: String)

    /// A player has left: called once for each ``onPeerConnected(peerId:peerName:)``.
    func onPeerDisconnected(peerId: String)

    /// A message of a player who has joined, whole.
    func onDataReceived(fromPeerId: String, data: Data)

    /// What is to be sent; taken while the host advertises, by one reader.
    ///
    /// It is asked for once behind each ``startHostAdvertising()``: one stream for all sessions, or a stream
    /// for each, which replaces the stream before. What is in it while Bluetooth is off is taken and refused.
    var outgoingPackets: AsyncStream<OutgoingPacket> { get }
}

/// A message of the game to one player or to all.
public struct OutgoingPacket: Hashable, Swift.Sendable {
    /// Whom it is for; nil is everybody.
    public let targetPeerId: String?
    /// The message, at most ``PacketFragmenter/maximumMessageLength(mtu:)`` bytes where it is sent in
    /// fragments.
    public let data: Data

    /// Makes a message.
    public init(targetPeerId: String?, data: Data) {
        self.targetPeerId = targetPeerId
        self.data = data
    }

    /// A message to everybody.
    public static func broadcast(_ data: Data) -> OutgoingPacket {
        OutgoingPacket(targetPeerId: nil, data: data)
    }

    /// A message to one player.
    public static func unicast(_ peerId: String, _ data: Data) -> OutgoingPacket {
        OutgoingPacket(targetPeerId: peerId, data: data)
    }
}
