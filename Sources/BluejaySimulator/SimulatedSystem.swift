internal import BluejayDBus
internal import BluejayGLib

/// A private bus with a simulated BlueZ on it, on a thread of its own.
///
/// ```swift
/// let system = try await SimulatedSystem.start()
/// setenv("DBUS_SYSTEM_BUS_ADDRESS", system.busAddress, 1)
/// try await system.perform { try $0.add(sensor) }
/// await system.stop()
/// ```
// The world and the bus are reached in closures posted to the context only, hence @unchecked.
public final class SimulatedSystem: @unchecked Swift.Sendable {
    /// Why there is no simulated system.
    public struct StartFailure: Error, CustomStringConvertible {
        /// What went wrong.
        public let description: String
    }

    /// What `DBUS_SYSTEM_BUS_ADDRESS` is set to, so that a program uses this system.
    public let busAddress: String
    private let context: MainContext
    private let holder: Holder

    // Filled and used on the context's thread.
    private final class Holder: @unchecked Swift.Sendable {
        var world: SimulatedBlueZ?
        var bus: PrivateBus?
    }

    private init(_ busAddress: String, _ context: MainContext, _ holder: Holder) {
        self.busAddress = busAddress
        self.context = context
        self.holder = holder
    }

    /// Starts the bus and puts `org.bluez` on it; both are ready when this returns.
    ///
    /// - Throws: `StartFailure` when dbus-daemon cannot be started, or a device is invalid.
    public static func start(
        _ options: SimulatorOptions = SimulatorOptions()
    ) async throws -> SimulatedSystem {
        let context = MainContext()
        context.startThread(named: "simulated BlueZ")
        let holder = Holder()
        do {
            let address = try await withCheckedThrowingContinuation { continuation in
                context.post {
                    start(options, on: context, in: holder) { continuation.resume(with: $0) }
                }
            }
            return SimulatedSystem(address, context, holder)
        } catch {
            context.post { holder.bus?.stop() }
            context.quit()
            throw error
        }
    }

    private static func start(
        _ options: SimulatorOptions,
        on context: MainContext,
        in holder: Holder,
        completion: @escaping (Result<String, any Error>) -> Void
    ) {
        func fail(_ error: any Error) {
            completion(.failure(StartFailure(description: "\(error)")))
        }
        do {
            holder.bus = try PrivateBus(on: context) { result in
                switch result {
                case .failure(let failure): fail(failure)
                case .success(let address):
                    do {
                        let world = SimulatedBlueZ(options, at: address, on: context)
                        holder.world = world
                        for device in options.devices { try world.add(device) }
                        world.start { error in
                            if let error { fail(error) } else { completion(.success(address.text)) }
                        }
                    } catch {
                        fail(error)
                    }
                }
            }
        } catch {
            fail(error)
        }
    }

    /// Does something with the world, on its thread, and waits for the result.
    public func perform<Value: Swift.Sendable>(
        _ work: @escaping @Sendable (SimulatedBlueZ) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            context.post { [holder] in
                guard let world = holder.world else {
                    let failure = StartFailure(description: "the simulated system has stopped")
                    return continuation.resume(throwing: failure)
                }
                continuation.resume(with: Result { try work(world) })
            }
        }
    }

    /// Ends `org.bluez` and the bus; later calls do nothing.
    public func stop() async {
        await withCheckedContinuation { continuation in
            context.post { [holder] in
                holder.world?.disconnectFromBus()
                holder.world = nil
                holder.bus?.stop()
                holder.bus = nil
                continuation.resume()
            }
        }
        context.quit()
    }
}
