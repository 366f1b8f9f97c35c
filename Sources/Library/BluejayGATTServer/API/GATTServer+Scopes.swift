public import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib

/// Services that are served until a closure or a task ends.
///
/// ```swift
/// try await server.serve(
///     [lamp],
///     advertising: LocalAdvertisement(name: "Lamp", serviceUUIDs: [lamp.uuid])
/// )
/// ```
///
/// The services and the advertisement are removed on every way out: return, error, cancellation of the task, SIGINT
/// and SIGTERM, which end the program then. Signals that the program handles or ignores are left to it.
extension GATTServer {
    /// Publishes services, runs a closure and removes the services.
    ///
    /// - Parameters:
    ///   - services: Published in this order; none of them may be published already.
    ///   - advertisement: Advertised meanwhile; nil advertises nothing.
    ///   - body: Receives this server.
    /// - Returns: The result of the closure.
    /// - Throws: The errors of ``add(_:completion:)`` and ``advertise(_:completion:)``, otherwise those of the closure.
    @discardableResult
    public nonisolated(nonsending) func withServices<Value>(
        _ services: [LocalService],
        advertising advertisement: LocalAdvertisement? = nil,
        _ body: nonisolated(nonsending) (GATTServer) async throws -> Value
    ) async throws -> Value {
        let result: Result<Value, any Error> = await mainLoop.withTerminationScope {
            var added: [LocalService] = []
            var active: ActiveAdvertisement?
            let result: Result<Value, any Error>
            do {
                if !hasStarted { start() }
                for service in services {
                    try await add(service)
                    added.append(service)
                }
                if let advertisement { active = try await advertise(advertisement) }
                result = .success(try await body(self))
            } catch {
                result = .failure(error)
            }
            await active?.stop()
            // A server that was stopped has none of them.
            for service in added.reversed() { try? await remove(service) }
            return result
        }
        return try result.get()
    }

    /// Serves services until the task is cancelled.
    ///
    /// - Parameters:
    ///   - services: Published in this order; none of them may be published already.
    ///   - advertisement: Advertised meanwhile; nil advertises nothing.
    /// - Throws: The errors of ``add(_:completion:)`` and ``advertise(_:completion:)``, or ``BluejayError/stopped`` if the loop ends.
    public nonisolated(nonsending) func serve(
        _ services: [LocalService],
        advertising advertisement: LocalAdvertisement? = nil
    ) async throws {
        try await withServices(services, advertising: advertisement) { server in
            await server.waitForEnd()
            if !Task.isCancelled { throw BluejayError.stopped }
        }
    }

    /// Waits until the task is cancelled, or the loop ends.
    private nonisolated(nonsending) func waitForEnd() async {
        let hold = ClockHold.current
        let end = Rendezvous<Void>()
        let hook = LoopProperty<ShutdownHook?>(nil)
        hold?.pause()
        mainLoop.post { [mainLoop] in
            hook.replace(
                with: mainLoop.context.addShutdownHook({ $0() }, ended: { end.send(()) })
            )
        }
        await end.value(from: mainLoop) { end.send(()) }
        mainLoop.post { hook.replace(with: nil) }
        hold?.resume()
    }

    /// Runs a program that serves services until a signal ends it.
    ///
    /// ```swift
    /// let level = LocalCharacteristic(uuid: "FFE1", value: Data([100]))
    /// let lamp = LocalService(uuid: "FFE0", characteristics: [level])
    /// await GATTServer.main(serving: [lamp], advertising: LocalAdvertisement(name: "Lamp"))
    /// ```
    ///
    /// An error is printed on standard error and ends the program with the status 1.
    ///
    /// - Parameters:
    ///   - services: Published in this order.
    ///   - advertisement: Advertised meanwhile; nil advertises nothing.
    ///   - host: The loop, the adapter and the bus.
    public nonisolated(nonsending) static func main(
        serving services: [LocalService],
        advertising advertisement: LocalAdvertisement? = nil,
        host: BluetoothHost = BluetoothHost()
    ) async {
        let server = GATTServer(host: host)
        await BluetoothHost.main(host: host) { _ in
            try await server.serve(services, advertising: advertisement)
        }
    }
}
