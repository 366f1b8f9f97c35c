internal import BluejayGLib
public import FoundationEssentials

/// The connection object of an app: one connection and the services over it, as four states for a screen.
///
/// The manager runs `wireServices` for each new connection: after ``connect(to:)`` and after each
/// reconnection. It is an actor on the loop of its transport, whose reconnection handler it sets.
public actor ConnectionManager {
    /// The loop of the transport.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        transport.stateMachine.host.mainLoop.executor
    }

    private nonisolated let transport: iOSBLETransport
    private let wireServices: @Sendable (MeshCoreSession) async throws -> Void

    /// The state for the screen.
    public private(set) var connectionState = ConnectionState.disconnected
    /// The session over the present connection, or `nil` without one.
    public private(set) var session: MeshCoreSession?

    private var phase = BLEPhase.idle
    private var isWired = false
    /// The number of connections so far.
    private var connection = 0
    /// The connection for which `wireServices` has run or is running.
    private var wired = 0
    /// Whether `wireServices` is running; `callers` wait for its end.
    private var isWiring = false
    private var callers = CallerQueue()
    private var wiringFailure: (any Error)?
    private let streams = EventStreams<ConnectionState>()

    /// Creates a manager, which does not connect yet.
    ///
    /// - Parameters:
    ///   - transport: The connection to the radio, for this manager only.
    ///   - wireServices: Called with the session of each new connection. When it returns, the state becomes
    ///     ``ConnectionState/ready``; if it throws, the radio is disconnected.
    public init(
        transport: iOSBLETransport,
        wireServices: @escaping @Sendable (MeshCoreSession) async throws -> Void = { _ in }
    ) {
        self.transport = transport
        self.wireServices = wireServices
        let stateMachine = transport.stateMachine
        stateMachine.host.mainLoop.post { [weak self] in
            stateMachine.assumeIsolated { radio in
                radio.setReconnectionHandler { [weak self] deviceID, _ in
                    Task { await self?.handleReconnection(deviceID: deviceID) }
                }
                radio.observePhase { phase in
                    self?.assumeIsolated { $0.entered(phase) }
                } onEnd: {
                    self?.assumeIsolated { $0.streams.finish() }
                }
            }
        }
    }

    isolated deinit { streams.finish() }

    /// The present state and all following ones, in order; a reader that is 64 states late loses the oldest.
    ///
    /// Each call returns a new stream for one reader. The stream ends with the manager, with
    /// ``BLEStateMachine/shutdown()``, and with the loop.
    public var states: AsyncStream<ConnectionState> {
        let stream = BoundedStream<ConnectionState>(bufferingPolicy: .bufferingNewest(64))
        let loop = transport.stateMachine.host.mainLoop
        streams.add(stream.continuation, first: connectionState) { [weak self] id in
            loop.post { [weak self] in self?.assumeIsolated { $0.streams.remove(id) } }
        }
        // The loop does not end it any more.
        if loop.context.isEnding { stream.continuation.finish() }
        return stream.elements
    }

    /// Connects to a radio and runs `wireServices`; returns when the connection is ready.
    ///
    /// - Parameter deviceID: As in ``BLEStateMachine/connect(to:)``.
    /// - Throws: The error of ``BLEStateMachine/connect(to:)`` or of `wireServices`; the radio is
    ///   disconnected then. If the connection is lost while `wireServices` runs, it reconnects by itself, and
    ///   this method throws ``BLEError/notConnected``.
    public func connect(to deviceID: UUID) async throws {
        let before = await transport.setDeviceIDReturningPrevious(deviceID)
        do {
            try await transport.connect()
        } catch {
            // An existing connection stays usable.
            if let before, case .connected = phase { await transport.setDeviceID(before) }
            throw error
        }
        let number = connection
        if isWiring, wired == number {
            // Another call runs `wireServices`: this one has the same result.
            try await waitForWiring()
            guard isWired else {
                throw (connection == number ? wiringFailure : nil) ?? BLEError.notConnected
            }
            return
        }
        guard !isWired else { return }
        do {
            try await wire()
        } catch {
            // A connection that was lost meanwhile is reconnecting.
            if number == connection, case .connected = phase { await disconnect() }
            throw error
        }
    }

    /// Ends the connection and any reconnection.
    public func disconnect() async {
        await session?.stop()
        session = nil
        await transport.disconnect()
    }

    /// Runs `wireServices` over a connection that was re-established.
    ///
    /// The transport calls this method; a second call for the same connection has no effect. If a step fails,
    /// the radio is disconnected, and the disconnection handler receives the error.
    ///
    /// - Parameter deviceID: The radio that has reconnected.
    public func handleReconnection(deviceID: UUID) async {
        guard wired != connection else { return }
        await transport.setDeviceID(deviceID)
        let number = connection
        do {
            try await wire()
        } catch {
            // If the connection was lost meanwhile, the next connection is set up instead.
            guard number == connection else { return }
            await transport.stateMachine.failConnection(
                error as? BLEError ?? .connectionFailed("\(error)")
            )
        }
    }

    private func waitForWiring() async throws {
        let caller = callers.makeID()
        try await awaitCall(on: transport.stateMachine.host.mainLoop) {
            callers.add(caller, $0)
        } cancel: {
            $0.callers.cancel(caller)
        }
    }

    private func wire() async throws {
        let number = connection
        wired = number
        isWiring = true
        wiringFailure = nil
        defer {
            if wired == number {
                isWiring = false
                callers.resumeAll()
            }
        }
        do {
            try await wire(number)
        } catch {
            if wired == number { wiringFailure = error }
            throw error
        }
    }

    private func wire(_ number: Int) async throws {
        let session = MeshCoreSession(transport: transport)
        self.session = session
        do {
            try await session.start()
            try await wireServices(session)
        } catch {
            if self.session === session { self.session = nil }
            throw error
        }
        guard number == connection, case .connected = phase else { throw BLEError.notConnected }
        isWired = true
        updateConnectionState()
    }

    private func entered(_ new: BLEPhase) {
        if case .connected = new {
            if case .connected = phase {} else { connection += 1 }
        } else {
            isWired = false
            session = nil
        }
        phase = new
        updateConnectionState()
    }

    private func updateConnectionState() {
        let state = ConnectionState(phase, isWired: isWired)
        guard state != connectionState else { return }
        connectionState = state
        streams.send(state)
    }
}
