internal import BluejayDBus
package import BluejayGLib

/// A private bus with a simulated BlueZ on a thread of its own, for tests.
///
/// ```swift
/// let system = try await SimulatedSystem.start()
/// await system.perform { $0.add(.heartRateSensor()) }
/// let bluejay = Bluejay(mainLoop: loop, busAddress: system.busAddress)
/// ```
///
/// It ends with `stop()`, or when it is released.
// Everything but the address is confined to the context, and reached through `perform`.
public final class SimulatedSystem: @unchecked Swift.Sendable {
    /// Why a system did not start.
    public struct Failure: Error, CustomStringConvertible {
        /// What went wrong, and what to install.
        public let description: String
    }

    /// The address to give to `Bluejay`, or to set as `DBUS_SYSTEM_BUS_ADDRESS`.
    public let busAddress: String

    private let context: MainContext
    private let parts: Parts

    private init(_ context: MainContext, _ bus: PrivateBus, _ world: SimulatedBlueZ) {
        self.context = context
        parts = Parts(bus, world)
        busAddress = bus.address
    }

    deinit {
        stop()
    }

    /// Starts a bus and a BlueZ on it.
    ///
    /// - Parameter options: The set-up.
    /// - Returns: The running system.
    /// - Throws: ``Failure``, for example without dbus-daemon.
    public static func start(
        _ options: SimulatorOptions = SimulatorOptions()
    ) async throws -> SimulatedSystem {
        let context = MainContext()
        context.startThread(named: "simulated BlueZ")
        return try await withCheckedThrowingContinuation { continuation in
            context.post {
                SystemStarter.start(options, on: context) { result in
                    switch result {
                    case .failure(let failure):
                        context.quit()
                        continuation.resume(throwing: failure)
                    case .success(let (bus, world)):
                        continuation.resume(returning: SimulatedSystem(context, bus, world))
                    }
                }
            }
        }
    }

    /// Does something with the world, on its thread.
    ///
    /// - Parameter work: Called once, unless the system has been stopped.
    public func perform(_ work: @escaping @Sendable (SimulatedBlueZ) -> Void) async {
        await withCheckedContinuation { continuation in
            context.post { [self] in
                if let world = parts.world { work(world) }
                continuation.resume()
            }
        }
    }

    /// Reads something of the world, on its thread.
    ///
    /// - Parameter work: Called once, unless the system has been stopped.
    /// - Returns: What `work` returns; nil after `stop()`.
    public func read<R: Swift.Sendable>(
        _ work: @escaping @Sendable (SimulatedBlueZ) -> R
    ) async -> R? {
        await withCheckedContinuation { continuation in
            context.post { [self] in continuation.resume(returning: parts.world.map(work)) }
        }
    }

    /// Ends the BlueZ, the bus and their thread.
    public func stop() {
        let parts = parts
        context.post { parts.end() }
        context.quit()
    }

    /// Ends bluetoothd as if it was killed; the bus stays.
    public func killDaemon() async {
        await withCheckedContinuation { continuation in
            context.post { [self] in
                parts.world?.connection.close()
                parts.world = nil
                continuation.resume()
            }
        }
    }

    /// Starts a bluetoothd anew, with nothing on the air.
    ///
    /// - Parameter options: The set-up.
    /// - Throws: ``Failure``.
    public func startDaemon(_ options: SimulatorOptions = SimulatorOptions()) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            context.post { [self] in
                SystemStarter.startBlueZ(options, bus: busAddress, on: context) { result in
                    continuation.resume(with: result.map { self.parts.world = $0 })
                }
            }
        }
    }
}

/// What lives on the context, and ends there.
// Only `end` and the closures that are posted to the context touch it after it was made.
private final class Parts: @unchecked Swift.Sendable {
    var bus: PrivateBus?
    var world: SimulatedBlueZ?

    init(_ bus: PrivateBus?, _ world: SimulatedBlueZ?) {
        self.bus = bus
        self.world = world
    }

    func end() {
        world?.connection.close()
        world = nil
        bus?.stop()
        bus = nil
    }
}

/// The steps from nothing to a running BlueZ, on its context.
package enum SystemStarter {
    package typealias Started = (bus: PrivateBus, world: SimulatedBlueZ)

    package static func start(
        _ options: SimulatorOptions,
        on context: MainContext,
        done: @escaping (Result<Started, SimulatedSystem.Failure>) -> Void
    ) {
        let holder = Holder()
        do {
            holder.bus = try PrivateBus(on: context) { failure in
                guard let bus = holder.bus else { return }
                holder.bus = nil
                if let failure { return done(.failure(.init(description: failure.description))) }
                startBlueZ(options, bus: bus.address, on: context) { result in
                    done(result.map { (bus, $0) })
                }
            }
        } catch {
            done(.failure(.init(description: "\(error)")))
        }
    }

    package static func startBlueZ(
        _ options: SimulatorOptions,
        bus address: String,
        on context: MainContext,
        done: @escaping (Result<SimulatedBlueZ, SimulatedSystem.Failure>) -> Void
    ) {
        let holder = Holder()
        do {
            holder.world = try SimulatedBlueZ(bus: address, on: context, options: options) {
                failure in
                guard let world = holder.world else { return }
                holder.world = nil
                done(failure.map { .failure(.init(description: $0)) } ?? .success(world))
            }
        } catch {
            done(.failure(.init(description: "\(error)")))
        }
    }

    private final class Holder {
        var bus: PrivateBus?
        var world: SimulatedBlueZ?
    }
}
