public import FoundationEssentials

/// A transport without a radio, for tests: it keeps what is sent, and receives what a test says.
public actor MockTransport: OwnedTransport {
    /// What was sent, in order, since the last ``clearSentData()``.
    public private(set) var sentData: [Data] = []
    /// Whether ``connect()`` was called, and ``disconnect()`` was not since.
    public private(set) var isConnected = false
    /// What was simulated since the connection before has ended; the stream ends with the transport.
    public private(set) var receivedData: AsyncStream<Data>
    private var continuation: AsyncStream<Data>.Continuation

    /// Makes one that is not connected.
    public init() {
        (receivedData, continuation) = AsyncStream.makeStream()
    }

    deinit { continuation.finish() }

    /// Connects; it never fails.
    public func connect() async throws {
        _ = try await open()
    }

    func open() async throws -> Bool {
        let isNew = !isConnected
        isConnected = true
        return isNew
    }

    /// Ends the stream; the next connection has one of its own.
    public func disconnect() async {
        isConnected = false
        continuation.finish()
        (receivedData, continuation) = AsyncStream.makeStream()
    }

    /// Keeps what is sent.
    ///
    /// - Parameter data: What a radio would get.
    /// - Throws: ``BLEError/notConnected``.
    public func send(_ data: Data) async throws {
        guard isConnected else { throw BLEError.notConnected }
        sentData.append(data)
    }

    /// Has a value come in.
    public func simulateReceive(_ data: Data) {
        continuation.yield(data)
    }

    /// Has the answer come in that all is well.
    ///
    /// - Parameter value: Behind the byte 00, 32 bits little-endian; nil is that byte alone.
    public func simulateOK(value: UInt32? = nil) {
        var data = Data([0])
        if let value {
            for shift in [0, 8, 16, 24] { data.append(UInt8(truncatingIfNeeded: value >> shift)) }
        }
        simulateReceive(data)
    }

    /// Has the answer come in that something is wrong.
    ///
    /// - Parameter code: Behind the byte 01.
    public func simulateError(code: UInt8) {
        simulateReceive(Data([1, code]))
    }

    /// Forgets what was sent.
    public func clearSentData() {
        sentData = []
    }
}
