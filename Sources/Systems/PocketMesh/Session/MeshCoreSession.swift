internal import BluejayBlueZ
internal import BluejayGLib
public import FoundationEssentials

/// One conversation with a radio over any transport: it says hello, and hands out what comes.
///
/// It is for one connection: when that has gone, ``packets`` ends, and a connection that has come back wants
/// a session of its own.
public actor MeshCoreSession {
    /// What the radio sends, from ``start()`` on until ``stop()`` or the end of the connection; for one
    /// reader, of whom 512 packets wait.
    public nonisolated var packets: AsyncStream<Data> { received.elements }
    /// How many packets were lost because nobody read them in time.
    public var lostPacketCount: Int { received.lostCount }

    /// The way to the radio.
    public nonisolated let transport: any MeshTransport
    private let clientIdentifier: String
    private nonisolated let received = ReceivedValues.receivedValues()
    private var isStarted = false
    private var isOver = false
    private var reading: Task<Void, Never>?
    private let log = Log("bluejay.pocketmesh", to: nil)

    /// Makes a session; nothing is begun.
    ///
    /// - Parameters:
    ///   - transport: The way to the radio.
    ///   - clientIdentifier: What the radio is told that it talks to; five characters of it.
    public init(transport: any MeshTransport, clientIdentifier: String = "MCore") {
        self.transport = transport
        self.clientIdentifier = clientIdentifier
    }

    deinit {
        reading?.cancel()
        received.continuation.finish()
    }

    /// Connects, begins to read, and sends the start packet; what the radio answers is one of the packets.
    ///
    /// A second call does nothing.
    ///
    /// - Throws: What the transport throws; a connection that this call made is ended then. Behind a
    ///   ``stop()`` and behind a start that failed, ``BLEError/notConnected``: that wants a new session.
    public func start() async throws {
        guard !isOver else { throw BLEError.notConnected }
        guard !isStarted else { return }
        isStarted = true
        var isOwner = false
        do {
            isOwner = try await transport.connectAsOwner()
            let values = await transport.receivedData
            // It may have been stopped meanwhile.
            guard !isOver else { throw BLEError.notConnected }
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
        isOver = true
        reading?.cancel()
        received.continuation.finish()
    }

    private func read(_ values: AsyncStream<Data>) {
        let continuation = received.continuation
        reading = Task { [weak self] in
            for await value in values {
                if !continuation.yield(value), continuation.lostCount == 1 { await self?.logLoss() }
            }
            continuation.finish()
        }
    }

    private func logLoss() {
        log.warning("nobody reads the packets of a session; they are lost from now on")
    }

    /// 01, 03, six spaces, and the beginning of the name.
    static func startPacket(_ name: String) -> Data {
        Data([1, 3] + [UInt8](repeating: 0x20, count: 6) + Array(name.prefix(5).utf8))
    }
}
