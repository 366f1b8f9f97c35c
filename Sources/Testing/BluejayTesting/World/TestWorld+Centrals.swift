internal import BluejayGLib
public import BluejaySimulator

extension TestWorld {
    /// Puts a central on the air, for the test of a program that is a peripheral.
    ///
    /// ```swift
    /// let phone = try TestWorld.current.addCentral()
    /// try await phone.connect()
    /// try await phone.write([1], to: "2A39")
    /// ```
    ///
    /// - Parameters:
    ///   - address: Its address; nil is one that no central of this world has, from `C0:FF:EE:00:00:01` on.
    ///   - isRandom: Whether the address is random rather than public.
    ///   - name: What its Generic Access service says.
    ///   - mtu: The largest ATT packet that it takes, 23 to 517.
    /// - Returns: The way to it.
    /// - Throws: ``TestWorldError/ended``.
    @discardableResult
    public func addCentral(
        address: String? = nil,
        isRandom: Bool = true,
        name: String? = nil,
        mtu: Int = 517
    ) throws -> TestCentral {
        let made = try perform { blueZ in
            let own = address ?? Self.freeAddress(in: blueZ)
            let central = SimulatedCentral(address: own, isRandom: isRandom, name: name)
            central.mtu = mtu
            blueZ.add(central)
            return (own, ObjectIdentifier(central))
        }
        return TestCentral(self, made.0, made.1)
    }

    private static func freeAddress(in blueZ: SimulatedBlueZ) -> String {
        var number = blueZ.centrals.count
        while true {
            number += 1
            let digits = String(number, radix: 16, uppercase: true)
            let last = String(repeating: "0", count: max(0, 4 - digits.count)) + digits.suffix(4)
            let address = "C0:FF:EE:00:\(last.prefix(2)):\(last.suffix(2))"
            if blueZ.central(address) == nil { return address }
        }
    }
}

/// A central on the air of a ``TestWorld``.
///
/// Its calls may be made in any test, on any thread; each returns when the central has done it. Characteristics
/// are named as in `CentralStep`. What goes wrong is thrown: a `CentralError`, for example
/// `.refused(0x0E)`, or ``TestWorldError/ended``.
public struct TestCentral: Swift.Sendable {
    /// The address that it was made with.
    public let address: String
    private let world: TestWorld
    private let identity: ObjectIdentifier

    init(_ world: TestWorld, _ address: String, _ identity: ObjectIdentifier) {
        self.world = world
        self.address = address
        self.identity = identity
    }

    // MARK: What it does

    /// Finds an adapter that advertises, connects to it and discovers its services.
    public nonisolated(nonsending) func connect(
        toAdapter adapter: Int? = nil,
        within limit: Duration = .seconds(30)
    ) async throws {
        try await play([.connectTo(adapter: adapter, within: limit)]).check()
    }

    /// Pairs.
    public nonisolated(nonsending) func pair() async throws {
        try await play([.pair]).check()
    }

    /// Subscribes.
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

    /// Reads a value to its end.
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

    /// Waits until so many values have come that no call before has returned, and returns them in order.
    public nonisolated(nonsending) func next(
        _ count: Int = 1,
        of characteristic: String,
        within limit: Duration = .seconds(30)
    ) async throws -> [[UInt8]] {
        let report = try await play([.expect(characteristic, count: count, within: limit)])
        try report.check()
        return report.values
    }

    /// Ends its link; nothing happens when there is none.
    public nonisolated(nonsending) func leave() async throws {
        try await play([.leave]).check()
    }

    /// Plays a script when those before it are over, and tells what came of it.
    ///
    /// What fails is in the report, and is not thrown. When the task is cancelled all scripts of the central
    /// are stopped.
    public nonisolated(nonsending) func play(
        _ steps: [CentralStep]
    ) async throws -> CentralReport {
        try world.checkNotOver()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                begin(steps) { continuation.resume(with: $0) }
            }
        } onCancel: {
            world.mainLoop.context.post { try? perform { $0.stop() } }
        }
    }

    // MARK: What it saw

    /// Does something with the central itself, for example gives it an identity.
    ///
    /// - Parameter work: Called once, on the loop; the calling thread waits for it.
    /// - Returns: What it returned.
    /// - Throws: What it threw, or ``TestWorldError/ended``, also when the central was removed.
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

    /// Whether it is connected; false when the world has ended.
    public var isConnected: Bool { (try? perform { $0.isConnected }) ?? false }

    /// The last 10,000 values that came of a characteristic, in order.
    public func values(of characteristic: String) -> [[UInt8]] {
        (try? perform { $0.values(of: characteristic) }) ?? []
    }

    /// Goes out of range: its link is lost, and it connects to nobody until ``comeBack()``.
    public func goAway() { try? perform { $0.goAway() } }

    /// Is in range again.
    public func comeBack() { try? perform { $0.comeBack() } }

    private func begin(
        _ steps: [CentralStep],
        _ done: @escaping @Sendable (Result<CentralReport, any Error>) -> Void
    ) {
        do {
            try perform { $0.play(steps) { done(.success($0)) } }
        } catch {
            done(.failure(error))
        }
    }
}
