public import Bluejay
internal import BluejayGLib

/// Connections that end with a closure, on every way out.
///
/// ```swift
/// let level = try await bluejay.withConnection(toFirst: .name("Lamp"), within: 20) { lamp in
///     try await lamp.read(from: .batteryLevel, as: UInt8.self)
/// }
/// ```
///
/// The closure receives the instance, connected. When it returns or throws, or the task is cancelled, the instance
/// disconnects, and the call returns when the link is down or remains in use by others. If several scopes of one
/// instance are open, the last one disconnects. A lost link does not end the scope: the instance reconnects as
/// otherwise.
///
/// SIGINT, which Ctrl-C sends, and SIGTERM cancel the task. When all scopes have closed, the signal ends the program;
/// a scope whose closure does not return at once is disconnected without it. A second signal ends the program at
/// once. Signals that the program handles or ignores are left to it.
extension Bluejay {
    /// Connects to the first peripheral that matches a filter, runs a closure and disconnects.
    ///
    /// - Parameters:
    ///   - filter: The peripherals to connect to.
    ///   - limit: For the search and the connection together; `.none` tries until the task is cancelled.
    ///   - body: Receives this instance, connected.
    /// - Returns: The result of the closure.
    /// - Throws: The errors of ``connect(toFirst:within:)``, otherwise those of the closure.
    @discardableResult
    public nonisolated(nonsending) func withConnection<Value>(
        toFirst filter: ScanFilter,
        within limit: Timeout = .standard,
        _ body: nonisolated(nonsending) (Bluejay) async throws -> Value
    ) async throws -> Value {
        try await withConnection(body) { try await self.connect(toFirst: filter, within: limit) }
    }

    /// Connects to a peripheral, runs a closure and disconnects.
    ///
    /// - Parameters:
    ///   - peripheralIdentifier: The peripheral to connect to.
    ///   - timeout: For the connection; `.none` tries until the task is cancelled.
    ///   - body: Receives this instance, connected.
    /// - Returns: The result of the closure.
    /// - Throws: The errors of ``connect(_:timeout:)``, otherwise those of the closure.
    @discardableResult
    public nonisolated(nonsending) func withConnection<Value>(
        to peripheralIdentifier: PeripheralIdentifier,
        timeout: Timeout = .standard,
        _ body: nonisolated(nonsending) (Bluejay) async throws -> Value
    ) async throws -> Value {
        try await withConnection(body) {
            try await self.connect(peripheralIdentifier, timeout: timeout)
        }
    }

    private nonisolated(nonsending) func withConnection<Value>(
        _ body: nonisolated(nonsending) (Bluejay) async throws -> Value,
        connect: nonisolated(nonsending) () async throws -> PeripheralIdentifier
    ) async throws -> Value {
        let result: Result<Value, any Error> = await mainLoop.withTerminationScope {
            connectionScopes.update { $0.open() }
            let result: Result<Value, any Error>
            do {
                if !hasStarted { await start() }
                _ = try await connect()
                connectionScopes.update { $0.connected() }
                result = .success(try await body(self))
            } catch {
                result = .failure(error)
            }
            if connectionScopes.update({ $0.close() }) { await endConnection() }
            return result
        }
        return try result.get()
    }

    /// Disconnects, and waits for a disconnect that others have requested.
    private nonisolated(nonsending) func endConnection() async {
        do {
            try await disconnect()
        } catch BluejayError.multipleDisconnectNotSupported {
            // Not in this task, which may be cancelled.
            await Task {
                for await _ in connectionEvents where await onLoop({ !$0.isConnected }) { return }
            }.value
        } catch {
            // Nothing is connected.
        }
    }
}

/// Whole programs, as in a `main.swift`.
///
/// ```swift
/// import BluejayAsync
///
/// await Bluejay.main(connectedToFirst: .name("Heart Rate Sensor"), within: 20) { sensor in
///     print("\(try await sensor.batteryLevel()) %")
/// }
/// ```
///
/// Everything that is open on the loop is closed on every way out, as by `BluetoothHost.main`: an error is printed on
/// standard error and ends the program with the status 1, and so do SIGINT, which Ctrl-C sends, and SIGTERM with
/// their own status.
extension Bluejay {
    /// Runs a program with a started instance.
    ///
    /// - Parameters:
    ///   - host: The loop, the adapter and the bus.
    ///   - body: The program, which begins when the state of Bluetooth is known.
    public nonisolated(nonsending) static func main(
        host: BluetoothHost = BluetoothHost(),
        _ body: nonisolated(nonsending) (Bluejay) async throws -> Void
    ) async {
        let bluejay = Bluejay(host: host)
        await BluetoothHost.main(host: host) { _ in
            await bluejay.start()
            try await body(bluejay)
        }
    }

    /// Runs a program with a connection to the first peripheral that matches a filter.
    ///
    /// - Parameters:
    ///   - filter: The peripherals to connect to.
    ///   - limit: For the search and the connection together; `.none` tries until a signal ends the program.
    ///   - host: The loop, the adapter and the bus.
    ///   - body: Receives the instance, connected.
    public nonisolated(nonsending) static func main(
        connectedToFirst filter: ScanFilter,
        within limit: Timeout = .standard,
        host: BluetoothHost = BluetoothHost(),
        _ body: nonisolated(nonsending) (Bluejay) async throws -> Void
    ) async {
        await main(host: host) { bluejay in
            try await bluejay.withConnection(toFirst: filter, within: limit, body)
        }
    }

    /// Runs a program with a connection to a peripheral.
    ///
    /// - Parameters:
    ///   - peripheralIdentifier: The peripheral to connect to.
    ///   - timeout: For the connection; `.none` tries until a signal ends the program.
    ///   - host: The loop, the adapter and the bus.
    ///   - body: Receives the instance, connected.
    public nonisolated(nonsending) static func main(
        connectedTo peripheralIdentifier: PeripheralIdentifier,
        timeout: Timeout = .standard,
        host: BluetoothHost = BluetoothHost(),
        _ body: nonisolated(nonsending) (Bluejay) async throws -> Void
    ) async {
        await main(host: host) { bluejay in
            try await bluejay.withConnection(to: peripheralIdentifier, timeout: timeout, body)
        }
    }
}
