internal import BluejayBlueZ
internal import BluejayGLib
public import FoundationEssentials

// The name in code for iOS; `BlueZTransport` is an alias.
// swift-format-ignore: TypeNamesShouldBeCapitalized
/// A transport over a ``BLEStateMachine``: it reconnects by itself, and has the new stream before any handler
/// is called.
///
/// It is an actor on the loop of its state machine, which it retains; a state machine serves one transport.
public actor iOSBLETransport: OwnedTransport {
    /// The loop of the state machine.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        stateMachine.host.mainLoop.executor
    }

    nonisolated let stateMachine: BLEStateMachine
    private var deviceID: UUID?
    private var stream: AsyncStream<Data>?

    /// Creates a transport, which does not connect yet.
    ///
    /// - Parameters:
    ///   - deviceID: The radio for ``connect()``.
    ///   - stateMachine: The state machine, or `nil` for one with the default times.
    public init(deviceID: UUID? = nil, stateMachine: BLEStateMachine? = nil) {
        let stateMachine = stateMachine ?? BLEStateMachine()
        self.stateMachine = stateMachine
        self.deviceID = deviceID
        // This block runs before all later calls of either: calls of an actor of the loop are posted, too.
        stateMachine.host.mainLoop.post { [weak self] in
            stateMachine.assumeIsolated { radio in
                radio.observeStream { stream in
                    self?.assumeIsolated { $0.stream = stream }
                }
            }
        }
    }

    /// Sets the radio for ``connect()``; an existing connection stays up.
    ///
    /// - Parameter id: As in ``BLEStateMachine/connect(to:)``.
    public func setDeviceID(_ id: UUID) {
        deviceID = id
    }

    func setDeviceIDReturningPrevious(_ id: UUID) -> UUID? {
        defer { deviceID = id }
        return deviceID
    }

    /// The values of the present connection to the chosen radio; without a connection, a stream that has
    /// ended.
    public var receivedData: AsyncStream<Data> {
        let isMatching = stateMachine.assumeIsolated { [deviceID] in $0.matches(deviceID) }
        return (isMatching ? stream : nil) ?? AsyncStream { $0.finish() }
    }

    /// Whether the chosen radio is connected; without a chosen radio, whether any is.
    public var isConnected: Bool {
        stateMachine.assumeIsolated { [deviceID] in $0.isConnected && $0.matches(deviceID) }
    }

    /// Connects to the chosen radio; returns at once if it is connected, or without a chosen radio if any is.
    ///
    /// - Throws: As ``BLEStateMachine/connect(to:)``; without a device ``BLEError/deviceNotFound``.
    public func connect() async throws {
        _ = try await open()
    }

    func open() async throws -> Bool {
        // A connection restored from an earlier run counts, although no radio is chosen.
        if isConnected { return false }
        guard let deviceID else { throw BLEError.deviceNotFound }
        // Pairing may have replaced the identifier.
        let present = await stateMachine.identity(of: deviceID)
        // The stream is stored before any caller sees the connection.
        _ = try await stateMachine.connect(to: present)
        return true
    }

    /// Ends the connection to the chosen radio and its reconnection; the connection of another radio stays.
    public func disconnect() async {
        guard await stateMachine.matches(deviceID) else { return }
        await stateMachine.disconnect()
    }

    /// Sends a value with response, to the chosen radio only.
    ///
    /// - Parameter data: Up to 512 bytes.
    /// - Throws: As ``BLEStateMachine/send(_:)``; ``BLEError/notConnected`` if another radio is connected.
    public func send(_ data: Data) async throws {
        try await stateMachine.send(data, to: deviceID)
    }

    /// Sets the handler for a re-established connection; ``receivedData`` is the new stream by then.
    ///
    /// It replaces the handler of the state machine.
    public func setReconnectionHandler(_ handler: @escaping @Sendable (UUID) -> Void) async {
        await stateMachine.setReconnectionHandler { deviceID, _ in handler(deviceID) }
    }

    /// Sets the handler for a connection that ended and is not re-established.
    ///
    /// It replaces the handler of the state machine.
    public func setDisconnectionHandler(
        _ handler: @escaping @Sendable (UUID, (any Error)?) -> Void
    ) async {
        await stateMachine.setDisconnectionHandler(handler)
    }
}

/// The transport over BlueZ, under a neutral name.
public typealias BlueZTransport = iOSBLETransport
