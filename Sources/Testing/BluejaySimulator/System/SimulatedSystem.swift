internal import BluejayDBus
package import BluejayGLib

/// A private bus with a simulated BlueZ, on its own thread.
///
/// ```swift
/// let system = try await SimulatedSystem.start()
/// await system.perform { $0.add(.heartRateSensor()) }
/// let bluejay = Bluejay(mainLoop: loop, busAddress: system.busAddress)
/// ```
///
/// It ends with `stop()`, or when it is released. Only closures posted to their context reach the world and
/// the bus, which justifies `@unchecked`.
public final class SimulatedSystem: @unchecked Swift.Sendable {
    /// The reason why a system did not start.
    public struct Failure: Error, CustomStringConvertible {
        /// The reason as text.
        public let description: String
    }

    /// The address to give to `Bluejay`, or to set as `DBUS_SYSTEM_BUS_ADDRESS`.
    public let busAddress: String
    private let context: MainContext
    private let ownsThread: Bool
    private let parts: LoopState

    private init(_ busAddress: String, _ context: MainContext, _ parts: LoopState, ownsThread: Bool)
    {
        self.busAddress = busAddress
        self.context = context
        self.parts = parts
        self.ownsThread = ownsThread
    }

    deinit {
        stop()
        if ownsThread { context.quit() }
    }

    /// Starts a bus with BlueZ, and returns when both are ready.
    ///
    /// - Parameter options: The configuration.
    /// - Returns: The running system.
    /// - Throws: ``Failure``, for example without dbus-daemon.
    public static func start(
        _ options: SimulatorOptions = SimulatorOptions()
    ) async throws -> SimulatedSystem {
        let context = MainContext()
        context.startThread(named: "simulated BlueZ")
        let parts = LoopState()
        do {
            let address = try await withCheckedThrowingContinuation { continuation in
                context.post {
                    parts.start(options, on: context) { continuation.resume(with: $0) }
                }
            }
            return SimulatedSystem(address, context, parts, ownsThread: true)
        } catch {
            context.post { parts.end() }
            context.quit()
            throw error
        }
    }

    /// Starts a system on an existing context, which may have virtual time.
    ///
    /// - Parameters:
    ///   - options: The configuration.
    ///   - context: The current context.
    ///   - completion: Called once, possibly before this method returns if it fails.
    package static func start(
        _ options: SimulatorOptions,
        on context: MainContext,
        completion: @escaping (Result<SimulatedSystem, any Error>) -> Void
    ) {
        let parts = LoopState()
        parts.start(options, on: context) { result in
            if case .failure = result { parts.end() }
            completion(result.map { SimulatedSystem($0, context, parts, ownsThread: false) })
        }
    }

    /// The world, on its thread only; `nil` after `stop()`.
    package var world: SimulatedBlueZ? { parts.world }

    /// Runs a closure with the world, on its thread.
    ///
    /// - Parameter work: Called once, unless the system has been stopped.
    public func perform(_ work: @escaping @Sendable (SimulatedBlueZ) -> Void) async {
        await withCheckedContinuation { continuation in
            context.post { [parts] in
                if let world = parts.world { work(world) }
                continuation.resume()
            }
        }
    }

    /// Returns a value computed from the world on its thread.
    ///
    /// - Parameter work: Called once, unless the system has been stopped.
    /// - Returns: The result of `work`, or `nil` after `stop()`.
    public func read<R: Swift.Sendable>(
        _ work: @escaping @Sendable (SimulatedBlueZ) -> R
    ) async -> R? {
        await withCheckedContinuation { continuation in
            context.post { [parts] in continuation.resume(returning: parts.world.map(work)) }
        }
    }

    /// Ends BlueZ and the bus; their thread ends when the system is released.
    public func stop() {
        context.post { [parts] in parts.end() }
    }

    /// Like `stop`, but completes before it returns; on its thread only.
    package func endNow() {
        parts.end()
    }

    /// Kills the bus: all clients are disconnected.
    package func killBus() {
        context.post { [parts] in parts.killBus() }
    }

    /// Kills bluetoothd; the bus and the devices stay.
    ///
    /// Returns when the bus has noticed the end: later calls to bluetoothd fail immediately.
    public func killDaemon() async {
        await end(by: .daemonKilled)
    }

    /// Asks bluetoothd to end, like SIGTERM: it turns the adapters off and removes its objects first.
    ///
    /// Returns when the bus has noticed the end.
    public func terminateDaemon() async {
        await end(by: .daemonTerminated)
    }

    private func end(by fault: Fault) async {
        // Another daemon may acquire the name before the next query.
        let daemon = await read { world in
            let name = world.bus.name
            world.apply(fault)
            return name
        }
        await withCheckedContinuation { continuation in
            context.post { [parts] in
                parts.whenDisconnected(daemon ?? nil) { continuation.resume() }
            }
        }
    }

    /// Restarts bluetoothd; it knows the devices that were connected before.
    ///
    /// - Parameter options: The configuration; the number of adapters does not change.
    /// - Throws: ``Failure``.
    public func startDaemon(_ options: SimulatorOptions = SimulatorOptions()) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            context.post { [parts] in
                guard let world = parts.world else {
                    return continuation.resume(
                        throwing: Failure(description: "the simulated system is stopped")
                    )
                }
                world.configure(options)
                world.restart { error in
                    if let error {
                        continuation.resume(throwing: Failure(description: "\(error)"))
                    } else {
                        continuation.resume()
                    }
                }
            }
        }
    }
}

/// The state on the context, which also ends there.
///
/// Only closures posted to the context use it, which justifies `@unchecked`.
private final class LoopState: @unchecked Swift.Sendable {
    var world: SimulatedBlueZ?
    private var bus: PrivateBus?
    private var watchName: ((String, @escaping () -> Void) throws -> NameOwnerWatch)?
    private var watches: [NameOwnerWatch] = []

    func start(
        _ options: SimulatorOptions,
        on context: MainContext,
        completion: @escaping (Result<String, any Error>) -> Void
    ) {
        func fail(_ error: any Error) {
            completion(.failure(SimulatedSystem.Failure(description: "\(error)")))
        }
        do {
            let activate = { [weak self] () -> Void in self?.activate() }
            bus = try PrivateBus(
                on: context,
                activation: options.isActivated ? activate : nil
            ) { [weak self] result in
                switch result {
                case .failure(let failure): fail(failure)
                case .success(let address):
                    self?.watchName = {
                        try NameOwnerWatch(for: $0, at: address, on: context, completion: $1)
                    }
                    let world = SimulatedBlueZ(options, at: address, on: context)
                    self?.world = world
                    world.onBusRestart = { [weak self] in self?.bus?.restart($0) }
                    world.start { error in
                        if let error { fail(error) } else { completion(.success(address.text)) }
                    }
                }
            }
        } catch {
            fail(error)
        }
    }

    /// Calls back when the bus has disconnected the daemon with this unique name, or if the bus is gone.
    func whenDisconnected(_ daemon: String?, _ completion: @escaping () -> Void) {
        watches.removeAll(where: \.isEnded)
        guard let daemon else { return completion() }
        do {
            if let watch = try watchName?(daemon, completion) {
                watches.append(watch)
            } else {
                completion()
            }
        } catch {
            completion()
        }
    }

    func killBus() {
        bus?.kill()
    }

    // The bus waits until a process acquires the name.
    private func activate() {
        guard let world, world.bus.connection == nil else { return }
        world.restart { _ in }
    }

    func end() {
        watchName = nil
        for watch in watches { watch.end() }
        watches = []
        world?.end()
        world = nil
        bus?.stop()
        bus = nil
    }
}
