internal import BluejayBlueZ
internal import BluejayGLib
public import FoundationEssentials

// The name is the one that code for iOS has; `BlueZTransport` is the same.
// swift-format-ignore: TypeNamesShouldBeCapitalized
/// A transport over a ``BLEStateMachine``: it comes back by itself, and has the stream of a connection
/// before anybody hears that it is back.
///
/// It is an actor on the loop of its state machine, which it keeps; one transport is for one state machine.
public actor iOSBLETransport: OwnedTransport {
    /// The loop of its state machine.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        stateMachine.host.mainLoop.executor
    }

    nonisolated let stateMachine: BLEStateMachine
    private var deviceID: UUID?
    private var stream: AsyncStream<Data>?

    /// Makes a transport; nothing is begun.
    ///
    /// - Parameters:
    ///   - deviceID: What ``connect()`` connects to.
    ///   - stateMachine: Nil is one with the times as they are described.
    public init(deviceID: UUID? = nil, stateMachine: BLEStateMachine? = nil) {
        let stateMachine = stateMachine ?? BLEStateMachine()
        self.stateMachine = stateMachine
        self.deviceID = deviceID
        // Before whatever is asked of either from now on: calls of an actor of the loop are posted, too.
        stateMachine.host.mainLoop.post { [weak self] in
            stateMachine.assumeIsolated { radio in
                radio.holdStream { stream in
                    self?.assumeIsolated { $0.stream = stream }
                }
            }
        }
    }

    /// Sets what ``connect()`` connects to.
    ///
    /// - Parameter id: As ``BLEStateMachine/connect(to:)`` has it; what is connected stays so.
    public func setDeviceID(_ id: UUID) {
        deviceID = id
    }

    func setDeviceIDReturningPrevious(_ id: UUID) -> UUID? {
        defer { deviceID = id }
        return deviceID
    }

    /// What the radio that was set sends over the present connection; without one, a stream that has ended.
    public var receivedData: AsyncStream<Data> {
        let isOurs = stateMachine.assumeIsolated { [deviceID] in $0.isFor(deviceID) }
        return (isOurs ? stream : nil) ?? AsyncStream { $0.finish() }
    }

    /// Whether the radio that was set is connected; any radio, if none was set.
    public var isConnected: Bool {
        stateMachine.assumeIsolated { [deviceID] in $0.isConnected && $0.isFor(deviceID) }
    }

    /// Connects to the device that was set; it succeeds at once when that is connected, or, without one
    /// that was set, any.
    ///
    /// - Throws: As ``BLEStateMachine/connect(to:)``; without a device ``BLEError/deviceNotFound``.
    public func connect() async throws {
        _ = try await open()
    }

    func open() async throws -> Bool {
        // What a former run was connected to nobody has set here.
        if isConnected { return false }
        guard let deviceID else { throw BLEError.deviceNotFound }
        // Pairing may have replaced the identifier since.
        let present = await stateMachine.identity(of: deviceID)
        // The stream is held already: it is there before anybody hears of the connection.
        _ = try await stateMachine.connect(to: present)
        return true
    }

    /// Ends the connection to the radio that was set, and every wish to come back; another radio's stays.
    public func disconnect() async {
        guard await stateMachine.isFor(deviceID) else { return }
        await stateMachine.disconnect()
    }

    /// Sends a value with response, to the radio that was set and to no other.
    ///
    /// - Parameter data: Up to 512 bytes.
    /// - Throws: As ``BLEStateMachine/send(_:)``; ``BLEError/notConnected`` when another radio is connected.
    public func send(_ data: Data) async throws {
        try await stateMachine.send(data, to: deviceID)
    }

    /// Sets who is told that the connection has come back; ``receivedData`` is the new stream by then.
    ///
    /// It takes the place of the state machine's own handler.
    public func setReconnectionHandler(_ handler: @escaping @Sendable (UUID) -> Void) async {
        await stateMachine.setReconnectionHandler { deviceID, _ in handler(deviceID) }
    }

    /// Sets who is told that the connection has gone and does not come back by itself.
    ///
    /// It takes the place of the state machine's own handler.
    public func setDisconnectionHandler(
        _ handler: @escaping @Sendable (UUID, (any Error)?) -> Void
    ) async {
        await stateMachine.setDisconnectionHandler(handler)
    }
}

/// The transport over BlueZ, by a name that says so.
public typealias BlueZTransport = iOSBLETransport
