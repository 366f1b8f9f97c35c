public import FoundationEssentials

/// A connection to a radio that sends and receives values.
///
/// Values keep their boundaries: the data of one call arrives as one value.
public protocol MeshTransport: Swift.Sendable {
    /// The values of the radio, in order; each connection has its own stream, for one reader.
    ///
    /// Without a connection the stream has ended.
    var receivedData: AsyncStream<Data> { get async }

    /// Whether values can be sent.
    var isConnected: Bool { get async }

    /// Connects; returns at once if a connection exists.
    ///
    /// - Throws: The reason for which the connection failed.
    func connect() async throws

    /// Disconnects; the transport does not reconnect by itself afterwards.
    func disconnect() async

    /// Sends a value after all previous ones, and waits until the radio has it.
    ///
    /// - Parameter data: The value.
    /// - Throws: ``BLEError/notConnected`` without a connection, or an error of the transport.
    func send(_ data: Data) async throws
}

/// A transport that reports which call made a connection, so that a caller ends only its own.
protocol OwnedTransport: MeshTransport {
    /// Connects as `connect()` does.
    ///
    /// - Returns: Whether this call made the connection; false if there was one.
    func open() async throws -> Bool
}

extension MeshTransport {
    /// Connects, and returns whether this call made the connection.
    func connectAsOwner() async throws -> Bool {
        if let transport = self as? any OwnedTransport { return try await transport.open() }
        let wasConnected = await isConnected
        try await connect()
        return !wasConnected
    }
}
