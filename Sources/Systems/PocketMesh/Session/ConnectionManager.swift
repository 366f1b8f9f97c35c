internal import BluejayGLib
public import FoundationEssentials

/// What an app holds: one connection with what is done over it, as four states for a screen.
///
/// It sets up what is done over a connection, `wireServices`, each time that one is there: after
/// ``connect(to:)``, and when it has come back by itself. It is an actor on the loop of its transport,
/// whose reconnection handler it sets.
public actor ConnectionManager {
    /// The loop of its transport.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        transport.stateMachine.host.mainLoop.executor
    }

    private nonisolated let transport: iOSBLETransport
    private let wireServices: @Sendable (MeshCoreSession) async throws -> Void

    /// How it stands.
    public private(set) var connectionState = ConnectionState.disconnected
    /// The conversation over the present connection; nil without one.
    public private(set) var session: MeshCoreSession?

    private var phase = BLEPhase.idle
    private var isWired = false
    /// Counts the connections that were there.
    private var connection = 0
    /// The one whose services were, or are being, set up.
    private var wired = 0
    /// Whether `wireServices` is running, and who waits for its end.
    private var isWiring = false
    private var callers = CallersInLine()
    private var wiringFailure: (any Error)?
    private var readers: [Int: AsyncStream<ConnectionState>.Continuation] = [:]
    private var lastReader = 0

    /// Makes one; nothing is begun.
    ///
    /// - Parameters:
    ///   - transport: The way to the radio, for this manager alone.
    ///   - wireServices: Called each time a connection is there, with its session; when it has returned
    ///     the state is ``ConnectionState/ready``. When it throws the radio is disconnected.
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
                    self?.assumeIsolated { $0.endStates() }
                }
            }
        }
    }

    isolated deinit { endStates() }

    private func endStates() {
        let ended = readers
        readers = [:]
        for reader in ended.values { reader.finish() }
    }

    /// The state that it is in, and each one that follows, in order; of a reader that is 64 behind the
    /// oldest are lost.
    ///
    /// Each call gives a stream of its own, for one reader. It ends with the manager, and with the
    /// ``BLEStateMachine/shutdown()`` of its state machine.
    public var states: AsyncStream<ConnectionState> {
        let (stream, continuation) = AsyncStream<ConnectionState>.makeStream(
            bufferingPolicy: .bufferingNewest(64)
        )
        lastReader += 1
        let reader = lastReader
        readers[reader] = continuation
        continuation.yield(connectionState)
        let loop = transport.stateMachine.host.mainLoop
        continuation.onTermination = { [weak self] _ in
            loop.post { [weak self] in self?.assumeIsolated { $0.readers[reader] = nil } }
        }
        return stream
    }

    /// Connects to a radio and sets up what is done over it; returns when that is ready.
    ///
    /// - Parameter deviceID: As ``BLEStateMachine/connect(to:)`` has it.
    /// - Throws: What that throws, and what `wireServices` throws; there is no connection then. When the
    ///   connection is lost while they are set up it comes back by itself, and this throws
    ///   ``BLEError/notConnected``.
    public func connect(to deviceID: UUID) async throws {
        let before = await transport.setDeviceIDReturningPrevious(deviceID)
        do {
            try await transport.connect()
        } catch {
            // The connection that there is stays usable.
            if let before, case .connected = phase { await transport.setDeviceID(before) }
            throw error
        }
        let number = connection
        if isWiring, wired == number {
            // Another call sets them up: this one ends as that one does.
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
            // One that has gone meanwhile is on its way back.
            if number == connection, case .connected = phase { await disconnect() }
            throw error
        }
    }

    /// Ends the connection, and every wish to come back.
    public func disconnect() async {
        await session?.stop()
        session = nil
        await transport.disconnect()
    }

    /// Sets up again what is done over a connection that has come back.
    ///
    /// The manager has the transport call it; a second call for the same connection does nothing. When
    /// something of it fails the radio is disconnected, and the disconnection handler told why.
    ///
    /// - Parameter deviceID: The radio that is back.
    public func handleReconnection(deviceID: UUID) async {
        guard wired != connection else { return }
        await transport.setDeviceID(deviceID)
        let number = connection
        do {
            try await wire()
        } catch {
            // Of a connection that has gone meanwhile the next one is set up.
            guard number == connection else { return }
            await transport.stateMachine.giveUp(
                error as? BLEError ?? .connectionFailed("\(error)")
            )
        }
    }

    private func waitForWiring() async throws {
        let caller = callers.makeNumber()
        let loop = transport.stateMachine.host.mainLoop
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { callers.add(caller, $0) }
        } onCancel: { [weak self] in
            loop.post { [weak self] in self?.assumeIsolated { $0.callers.cancel(caller) } }
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
        tell()
    }

    private func entered(_ new: BLEPhase) {
        if case .connected = new {
            if case .connected = phase {} else { connection += 1 }
        } else {
            isWired = false
            session = nil
        }
        phase = new
        tell()
    }

    private func tell() {
        let state = ConnectionState(phase, isWired: isWired)
        guard state != connectionState else { return }
        connectionState = state
        for reader in readers.keys.sorted() { readers[reader]?.yield(state) }
    }
}
