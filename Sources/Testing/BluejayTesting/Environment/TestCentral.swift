internal import BluejayGLib
public import BluejaySimulator

/// A central in a ``TestWorld``.
///
/// Its methods may be called from any test and any thread; each returns when the central has finished.
/// Characteristics are named as in `CentralStep`. A failure is thrown as a `CentralError`, for example
/// `.refused(0x0E)`, or as ``TestWorldError/ended``.
public struct TestCentral: Swift.Sendable {
    /// The address given at creation.
    public let address: String
    private let world: TestWorld
    private let identity: ObjectIdentifier

    init(_ world: TestWorld, _ address: String, _ identity: ObjectIdentifier) {
        self.world = world
        self.address = address
        self.identity = identity
    }

    // MARK: Actions

    /// Finds an adapter that advertises, connects to it and discovers its services.
    public nonisolated(nonsending) func connect(
        toAdapter adapter: Int? = nil,
        within timeout: Duration = .seconds(30)
    ) async throws {
        try await play([.connectTo(adapter: adapter, within: timeout)]).check()
    }

    /// Pairs with the connected adapter.
    public nonisolated(nonsending) func pair() async throws {
        try await play([.pair]).check()
    }

    /// Subscribes to a characteristic.
    public nonisolated(nonsending) func subscribe(
        to characteristic: String,
        _ kind: CentralSubscription = .notificationsFirst
    ) async throws {
        try await play([.subscribe(characteristic, kind)]).check()
    }

    /// Ends a subscription.
    public nonisolated(nonsending) func unsubscribe(from characteristic: String) async throws {
        try await play([.unsubscribe(characteristic)]).check()
    }

    /// Reads a whole value, however long.
    public nonisolated(nonsending) func read(_ characteristic: String) async throws -> [UInt8] {
        let report = try await play([.read(characteristic)])
        try report.check()
        return report.reads.last ?? []
    }

    /// Writes a value.
    public nonisolated(nonsending) func write(
        _ value: [UInt8],
        to characteristic: String,
        _ way: CentralWrite = .withResponse
    ) async throws {
        try await play([.write(characteristic, value, way)]).check()
    }

    /// Waits for `count` values that no earlier call has returned, and returns them in order.
    public nonisolated(nonsending) func next(
        _ count: Int = 1,
        of characteristic: String,
        within timeout: Duration = .seconds(30)
    ) async throws -> [[UInt8]] {
        let report = try await play([.expect(characteristic, count: count, within: timeout)])
        try report.check()
        return report.values
    }

    /// Disconnects; does nothing when not connected.
    public nonisolated(nonsending) func leave() async throws {
        try await play([.disconnect]).check()
    }

    /// Plays a script after the scripts queued before it, and returns its report.
    ///
    /// Failed steps are in the report and are not thrown. Cancelling the task stops all scripts of the
    /// central.
    public nonisolated(nonsending) func play(
        _ steps: [CentralStep]
    ) async throws -> CentralReport {
        try world.checkNotEnded()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                start(steps) { continuation.resume(with: $0) }
            }
        } onCancel: {
            world.mainLoop.context.post { try? perform { $0.stop() } }
        }
    }

    // MARK: State

    /// Runs a closure with the central itself, for example to set its identity.
    ///
    /// - Parameter work: Called once, on the loop; the calling thread waits for it.
    /// - Returns: The result of `work`.
    /// - Throws: The error of `work`, or ``TestWorldError/ended``, also if the central was removed.
    @discardableResult
    public func perform<R: Swift.Sendable>(
        _ work: @escaping @Sendable (SimulatedCentral) throws -> R
    ) throws -> R {
        try world.perform { [identity] blueZ in
            guard let central = blueZ.centrals.first(where: { ObjectIdentifier($0) == identity })
            else { throw TestWorldError.ended }
            return try work(central)
        }
    }

    /// Whether the central is connected; false after the world has ended.
    public var isConnected: Bool { (try? perform { $0.isConnected }) ?? false }

    /// The last 10,000 values received from a characteristic, in order.
    public func values(of characteristic: String) -> [[UInt8]] {
        (try? perform { $0.values(of: characteristic) }) ?? []
    }

    /// Moves out of range: the link is lost, and the central cannot connect until ``returnToRange()``.
    public func leaveRange() { try? perform { $0.leaveRange() } }

    /// Moves back into range.
    public func returnToRange() { try? perform { $0.returnToRange() } }

    private func start(
        _ steps: [CentralStep],
        _ completion: @escaping @Sendable (Result<CentralReport, any Error>) -> Void
    ) {
        do {
            try perform { $0.play(steps) { completion(.success($0)) } }
        } catch {
            completion(.failure(error))
        }
    }
}
