public import FoundationEssentials

/// What a game needs of a host, so that its tests can do without one.
public protocol BLEManagerProtocol {
    /// Opens the game.
    func startAdvertising()
    /// Ends it.
    func stopAdvertising()
    /// Sends a message to one player; nil is everybody.
    func sendData(_ data: Data, to peerId: String?)
}

/// A host for tests, which keeps what it is told to send.
public final class MockBLEManager: BLEManagerProtocol {
    /// What was sent and to whom, in order.
    public private(set) var sentPackets: [(Data, String?)] = []
    /// Whether it was started, and not stopped since.
    public private(set) var isAdvertising = false

    /// Makes one that has sent nothing.
    public init() {}

    /// Notes it.
    public func startAdvertising() { isAdvertising = true }
    /// Notes it.
    public func stopAdvertising() { isAdvertising = false }
    /// Keeps it.
    public func sendData(_ data: Data, to peerId: String?) { sentPackets.append((data, peerId)) }
}
