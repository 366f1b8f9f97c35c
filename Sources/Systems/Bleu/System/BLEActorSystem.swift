public import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
public import Distributed
public import FoundationEssentials

/// A distributed actor system whose actors are Bluetooth peripherals.
///
/// A process serves its own actors with ``startAdvertising(_:)``, and calls those of other machines, which
/// ``discover(_:timeout:)`` and ``connect(to:as:)`` return. All members may be used from any thread. The first
/// call of a peripheral connects. The link stays while an actor of the peripheral is referenced, and a lost
/// link is retried. The calls to one peripheral run one at a time, in order. If the loop stops, all calls and
/// streams end, and later calls fail with ``BleuError/bluetoothUnavailable``.
///
/// ```swift
/// distributed actor Hygrometer: PeripheralActor {
///     typealias ActorSystem = BLEActorSystem
///     distributed func readHumidity() async throws -> Double { 45.5 }
/// }
/// ```
///
/// A program serves the actor with two lines:
///
/// ```swift
/// let system = BLEActorSystem()
/// try await system.startAdvertising(Hygrometer(actorSystem: system))
/// ```
///
/// Without ``BleuConfiguration/encryption`` every central in range may call every distributed method.
public final class BLEActorSystem: DistributedActorSystem, Swift.Sendable {
    /// The identifier of a peripheral.
    public typealias ActorID = UUID
    /// The protocol of arguments, results and elements.
    public typealias SerializationRequirement = Codable
    /// Encodes the arguments of a call.
    public typealias InvocationEncoder = BLEInvocationEncoder
    /// Decodes the arguments of a call.
    public typealias InvocationDecoder = BLEInvocationDecoder
    /// Receives the result of a call on the peripheral.
    public typealias ResultHandler = BLEResultHandler

    /// The loop, the adapter and the bus.
    ///
    /// An actor runs on the loop if its `unownedExecutor` is `actorSystem.host.mainLoop.executor`.
    public let host: BluetoothHost

    let configuration: BleuConfiguration
    let central: LocalCentralActor
    let peripheral: LocalPeripheralActor
    let actors = ActorRegistry()
    let registrations = LockedValue<[String: [String]]>([:])

    /// Creates a system; Bluetooth is not used before the first call.
    ///
    /// - Parameters:
    ///   - configuration: Times, limits and protection.
    ///   - host: The loop, the adapter and the bus.
    public init(
        configuration: BleuConfiguration = BleuConfiguration(),
        host: BluetoothHost = BluetoothHost()
    ) {
        self.configuration = configuration
        self.host = host
        ThrownError.mark(configuration.errorTypes)
        peripheral = LocalPeripheralActor(configuration, host)
        central = LocalCentralActor(configuration, host) { [peripheral] id in
            peripheral.assumeIsolated { $0.isServing(id) }
        }
    }

    deinit {
        central.perform { $0.shutDown() }
    }

    // MARK: Peripherals of this process

    /// Serves an actor, and advertises its service and the name of its type.
    ///
    /// The actor is retained until ``stopAdvertising()``. Each actor has one advertisement, which continues
    /// while centrals are connected, and after a restart of bluetoothd.
    ///
    /// - Parameter peripheral: An actor of this system.
    /// - Throws: ``BleuRegistrationError``, ``BleuError/bluetoothUnavailable`` or
    ///   ``BleuError/bluetoothUnauthorized``.
    public func startAdvertising<T: PeripheralActor>(_ peripheral: T) async throws {
        let description = try ServiceMapper.description(
            of: T.self,
            registered: registrations.value[String(reflecting: T.self)]
        )
        let misplaced = description.methods.filter(\.hasMisplacedStream).map(\.name)
        guard misplaced.isEmpty else {
            throw BleuRegistrationError.misplacedStreams(
                type: description.typeName,
                methods: misplaced
            )
        }
        try await self.peripheral.startAdvertising(LocalActor(peripheral, description))
    }

    /// Ends all advertisements of this system.
    ///
    /// Connected centrals may call the actors for as long as the program references them.
    ///
    /// - Throws: Nothing at present.
    public func stopAdvertising() async throws {
        try await peripheral.stopAdvertising()
    }

    /// Changes the advertisement of the actor that was advertised last; subscribers stay.
    ///
    /// - Parameter data: The content besides the service of the actor.
    /// - Throws: ``BleuRegistrationError``; the earlier advertisement then continues.
    public func updateAdvertisement(_ data: AdvertisementData) async throws {
        try await peripheral.updateAdvertisement(data)
    }

    /// Names the distributed methods of a type that cannot be listed at run time.
    ///
    /// Methods are listed from the executable and its libraries at the first use. For types of a library that
    /// is opened later, call this on both sides before the first use of the type. The methods of a registered
    /// type are called by messages only.
    ///
    /// - Parameters:
    ///   - type: The type of the actor.
    ///   - methods: The names of all its distributed methods, without parameters.
    public func register<T: PeripheralActor>(_ type: T.Type, methods: [String]) {
        let name = String(reflecting: type)
        registrations.update { $0[name] = methods }
    }

    // MARK: Peripherals of other machines

    /// Finds peripherals of a type, without connecting to them.
    ///
    /// The discovery ends at the time-out, or when it has found at least one and 2 s pass without another.
    ///
    /// - Parameters:
    ///   - type: The type of the actors.
    ///   - timeout: In seconds.
    /// - Returns: The peripherals in the order of their discovery; none is an empty array.
    /// - Throws: ``BleuError/bluetoothUnavailable``, ``BleuError/bluetoothUnauthorized`` or
    ///   `CancellationError`.
    public func discover<T: PeripheralActor>(
        _ type: T.Type,
        timeout: TimeInterval = 10
    ) async throws -> [T] {
        let (key, service) = (UUID(), ServiceMapper.serviceUUID(for: type))
        let found: [UUID] = try await awaited(host.mainLoop) { [central] completion in
            let completion = UncheckedTransfer(completion)
            central.assumeIsolated {
                $0.scan(key, for: service, within: .bounded(timeout), completion.value)
            }
        } cancel: { [central] in
            central.assumeIsolated { $0.endScan(key) }
        }
        return try found.map { try T.resolve(id: $0, using: self) }
    }

    /// Returns the actor of a known peripheral, without a link: the first call connects.
    ///
    /// - Parameters:
    ///   - peripheralID: The identifier of an actor that was discovered, in this run or an earlier one.
    ///   - type: The type of the actor.
    /// - Returns: The actor.
    /// - Throws: ``BleuError/peripheralNotFound(_:)`` if the identifier has no Bluetooth address.
    public func connect<T: PeripheralActor>(
        to peripheralID: UUID,
        as type: T.Type
    ) async throws -> T {
        let identifier = PeripheralIdentifier(uuid: peripheralID, name: nil)
        guard identifier.deviceAddress != nil || actors.actor(peripheralID) != nil else {
            throw BleuError.peripheralNotFound(peripheralID)
        }
        return try T.resolve(id: peripheralID, using: self)
    }

    /// Connects to several peripherals at the same time.
    ///
    /// If one is missing, the links that this call has made are released, except those in use by others.
    ///
    /// - Parameters:
    ///   - peripheralIDs: At most ``BleuConfiguration/maximumConnections``, with those that are connected.
    ///   - type: The type of the actors.
    /// - Returns: The actors in the order of `peripheralIDs`, with links.
    /// - Throws: The error of the first peripheral that failed, or ``BleuError/quotaExceeded``.
    public func connectMultiple<T: PeripheralActor>(
        to peripheralIDs: [UUID],
        as type: T.Type
    ) async throws -> [T] {
        var actors: [T] = []
        for id in peripheralIDs { actors.append(try await connect(to: id, as: type)) }
        let remote = actors.filter { self.actors.actor($0.id) == nil }
        let missing = await central.missing(of: Set(remote.map(\.id)))
        guard let missing else { throw BleuError.quotaExceeded }
        let call = OutgoingCall.connect(to: ServiceMapper.serviceUUID(for: type))
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for actor in remote {
                    group.addTask { _ = try await self.send(call, to: actor.id, WeakActor(actor)) }
                }
                for try await _ in group {}
            }
        } catch {
            let proxies = remote.map { WeakActor($0) }
            for id in missing {
                await withCheckedContinuation { continuation in
                    central.perform { $0.release(id, of: proxies) { continuation.resume() } }
                }
            }
            throw error
        }
        return actors
    }

    /// Returns whether the link to a peripheral is up.
    public func isConnected(_ peripheralID: UUID) async -> Bool {
        await central.isConnected(peripheralID)
    }

    /// Releases the link to a peripheral; calls to it that have no reply yet fail.
    ///
    /// A later call connects again. If the peripheral calls actors of this system, the link that it made stays up.
    ///
    /// - Parameter peripheralID: The identifier of the peripheral.
    /// - Throws: Nothing at present.
    public func disconnect(from peripheralID: UUID) async throws {
        await release(peripheralID)
    }

    /// Returns a new stream of the states of a link, which starts with the present state.
    ///
    /// The stream keeps the last 64 unread states. It ends with the system, or with its loop.
    ///
    /// - Parameter peripheralID: The identifier of the peripheral.
    /// - Returns: A stream for one consumer.
    public func connectionStates(of peripheralID: UUID) -> AsyncStream<ConnectionState> {
        let stream = BoundedStream<ConnectionState>(bufferingPolicy: .bufferingNewest(64))
        central.perform { [continuation = stream.continuation] in
            $0.addStates(continuation, of: peripheralID)
        }
        return stream.elements
    }

    private func release(_ id: UUID) async {
        await withCheckedContinuation { continuation in
            central.perform { $0.disconnect(id) { continuation.resume() } }
        }
    }
}

/// The system under another name, which replaces `Radar` of the first version.
public typealias CentralCoordinator = BLEActorSystem
