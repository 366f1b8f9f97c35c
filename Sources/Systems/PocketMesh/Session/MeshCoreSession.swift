internal import BluejayBlueZ
internal import BluejayGLib
public import FoundationEssentials

/// A session with a radio over any transport: it sends the start packet and delivers the received packets.
///
/// A session serves one connection. When that ends, ``packets`` ends, and a new connection needs a new
/// session.
public actor MeshCoreSession {
    /// The packets of the radio, from ``start()`` to ``stop()`` or the end of the connection; for one reader.
    ///
    /// The stream keeps 512 unread packets.
    public nonisolated var packets: AsyncStream<Data> { received.elements }
    /// The number of packets lost because they were not read in time.
    public var droppedPacketCount: Int { received.droppedCount }

    /// The connection to the radio.
    public nonisolated let transport: any MeshTransport
    private let clientIdentifier: String
    private nonisolated let received = ReceivedValues.receivedValues()
    private var isStarted = false
    private var isEnded = false
    private var reading: Task<Void, Never>?
    private let log = Log("bluejay.pocketmesh", to: nil)

    /// Creates a session, which does not connect yet.
    ///
    /// - Parameters:
    ///   - transport: The connection to the radio.
    ///   - clientIdentifier: The name of this client for the radio; its first five characters are sent.
    public init(transport: any MeshTransport, clientIdentifier: String = "MCore") {
        self.transport = transport
        self.clientIdentifier = clientIdentifier
    }

    deinit {
        reading?.cancel()
        received.continuation.finish()
    }

    /// Connects, starts to read, and sends the start packet; the reply of the radio is one of the packets.
    ///
    /// A second call has no effect.
    ///
    /// - Throws: The error of the transport; a connection that this call made is ended then. After ``stop()``
    ///   or a failed start, ``BLEError/notConnected``; create a new session.
    public func start() async throws {
        guard !isEnded else { throw BLEError.notConnected }
        guard !isStarted else { return }
        isStarted = true
        var isOwner = false
        do {
            isOwner = try await transport.connectAsOwner()
            let values = await transport.receivedData
            // `stop()` may have been called meanwhile.
            guard !isEnded else { throw BLEError.notConnected }
            read(values)
            try await transport.send(Self.startPacket(clientIdentifier))
        } catch {
            end()
            if isOwner { await transport.disconnect() }
            throw error
        }
    }

    /// Disconnects, and ends ``packets``.
    public func stop() async {
        end()
        await transport.disconnect()
    }

    private func end() {
        isEnded = true
        reading?.cancel()
        received.continuation.finish()
    }

    private func read(_ values: AsyncStream<Data>) {
        let continuation = received.continuation
        reading = Task { [weak self] in
            for await value in values {
                if !continuation.yield(value), continuation.droppedCount == 1 {
                    await self?.logLoss()
                }
            }
            continuation.finish()
        }
    }

    private func logLoss() {
        log.warning("packet buffer full: dropping packets")
    }

    /// Returns 01, 03, six spaces, and the beginning of the name.
    static func startPacket(_ name: String) -> Data {
        Data([1, 3] + [UInt8](repeating: 0x20, count: 6) + Array(name.prefix(5).utf8))
    }
}
