public import FoundationEssentials

/// The part of a host that a game uses, so that tests can replace the host.
public protocol BLEManagerProtocol {
    /// Opens the game.
    func startAdvertising()
    /// Closes the game.
    func stopAdvertising()
    /// Sends a message to one player, or with `nil` to all players.
    func sendData(_ data: Data, to peerId: String?)
}

/// A host for tests that records the messages instead of sending them.
public final class MockBLEManager: BLEManagerProtocol {
    /// The sent messages and their players, in order.
    public private(set) var sentPackets: [(Data, String?)] = []
    /// Whether the host is started.
    public private(set) var isAdvertising = false

    /// Creates a host that has sent nothing.
    public init() {}

    /// Sets ``isAdvertising`` to true.
    public func startAdvertising() { isAdvertising = true }
    /// Sets ``isAdvertising`` to false.
    public func stopAdvertising() { isAdvertising = false }
    /// Appends the message to ``sentPackets``.
    public func sendData(_ data: Data, to peerId: String?) { sentPackets.append((data, peerId)) }
}
