public import FoundationEssentials

/// A way to a radio: bytes there, bytes back, and whether it is open.
///
/// A value is a whole one: what was sent in one call arrives as one, and never a part of it.
public protocol MeshTransport: Swift.Sendable {
    /// What the radio sends, in order; each connection has a stream of its own, for one reader.
    ///
    /// Without a connection it is a stream that has ended.
    var receivedData: AsyncStream<Data> { get async }

    /// Whether values can be sent.
    var isConnected: Bool { get async }

    /// Opens the way; it succeeds at once when it is open.
    ///
    /// - Throws: Why it does not open.
    func connect() async throws

    /// Closes the way; nothing comes back by itself afterwards.
    func disconnect() async

    /// Sends a value, behind those that were sent before, and waits until the radio has it.
    ///
    /// - Parameter data: What to send.
    /// - Throws: ``BLEError/notConnected`` without a connection, else what the way has.
    func send(_ data: Data) async throws
}
