public import FoundationEssentials

/// A transport without a radio, for tests: it records sent values and receives simulated ones.
public actor MockTransport: OwnedTransport {
    /// The sent values, in order, since the last ``clearSentData()``.
    public private(set) var sentData: [Data] = []
    /// Whether the transport is connected.
    public private(set) var isConnected = false
    /// The values simulated since the end of the previous connection; the stream ends with the transport.
    public private(set) var receivedData: AsyncStream<Data>
    private var continuation: AsyncStream<Data>.Continuation

    /// Creates a transport that is not connected.
    public init() {
        (receivedData, continuation) = AsyncStream.makeStream()
    }

    deinit { continuation.finish() }

    /// Connects; never fails.
    public func connect() async throws {
        _ = try await open()
    }

    func open() async throws -> Bool {
        let isNew = !isConnected
        isConnected = true
        return isNew
    }

    /// Ends the stream; the next connection has a new one.
    public func disconnect() async {
        isConnected = false
        continuation.finish()
        (receivedData, continuation) = AsyncStream.makeStream()
    }

    /// Records a value.
    ///
    /// - Parameter data: The value.
    /// - Throws: ``BLEError/notConnected``.
    public func send(_ data: Data) async throws {
        guard isConnected else { throw BLEError.notConnected }
        sentData.append(data)
    }

    /// Simulates a received value.
    public func simulateReceive(_ data: Data) {
        continuation.yield(data)
    }

    /// Simulates the reply for success.
    ///
    /// - Parameter value: Follows the byte 00 as 32 bits, little-endian; with `nil` the reply is that byte
    ///   alone.
    public func simulateOK(value: UInt32? = nil) {
        var data = Data([0])
        if let value {
            for shift in [0, 8, 16, 24] { data.append(UInt8(truncatingIfNeeded: value >> shift)) }
        }
        simulateReceive(data)
    }

    /// Simulates the reply for an error.
    ///
    /// - Parameter code: Follows the byte 01.
    public func simulateError(code: UInt8) {
        simulateReceive(Data([1, code]))
    }

    /// Clears ``sentData``.
    public func clearSentData() {
        sentData = []
    }
}
