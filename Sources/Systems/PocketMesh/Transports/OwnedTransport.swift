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
