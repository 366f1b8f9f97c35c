import Bleu
import BluejayCore
import BluejayGLib
import BluejaySimulator
import BluejayTesting
import Distributed
import Foundation
import Synchronization
import Testing

/// A simulated BlueZ with adapters for systems, in virtual time.
struct BleuStage {
    let world: TestWorld

    static func play(
        _ kind: SimulatedBlueZVersion = .v5_86,
        adapters: Int = 2,
        mtu: Int = 517,
        kernel: SimulatedKernel = .v6_1_176,
        _ body: @escaping @Sendable (BleuStage) async throws -> Void
    ) async throws {
        var options = SimulatorOptions()
        options.version = kind
        options.controller = .extended
        options.adapters = adapters
        options.kernel = kernel
        options.mtu = mtu
        let world = try await TestWorld.make(options)
        try await world.run { try await body(BleuStage(world: world)) }
    }

    func system(
        _ number: Int,
        _ configuration: BleuConfiguration = BleuConfiguration()
    ) -> BLEActorSystem {
        BLEActorSystem(configuration: configuration, host: host(number))
    }

    func host(_ number: Int) -> BluetoothHost {
        BluetoothHost(
            mainLoop: world.mainLoop,
            adapter: "hci\(number)",
            busAddress: world.busAddress
        )
    }

    /// Starts a task that virtual time waits for.
    func start<Value: Swift.Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        Task(executorPreference: ContextExecutor(world.mainLoop.context)) { try await work() }
    }

    func wait(_ time: Duration) async throws { try await world.clock.sleep(for: time) }

    func wait(
        for what: String,
        _ location: SourceLocation = #_sourceLocation,
        until isSo: () async throws -> Bool
    ) async throws {
        for _ in 0..<6_000 {
            if try await isSo() { return }
            try await wait(.milliseconds(50))
        }
        Issue.record("no \(what) within five minutes", sourceLocation: location)
    }

    @discardableResult
    func perform<R: Swift.Sendable>(
        _ work: @escaping @Sendable (SimulatedBlueZ) throws -> R
    ) throws -> R {
        try world.perform(work)
    }

    func setPowered(_ isPowered: Bool, _ adapter: Int) throws {
        try world.perform { $0.setPowered(isPowered, ofAdapter: adapter) {} }
    }

    /// Plays steps as a central.
    ///
    /// - Returns: The last value read.
    @discardableResult
    func play(
        _ steps: [CentralStep],
        as address: String = "D0:00:00:00:00:01"
    ) async throws -> [UInt8]? {
        let reports = AsyncStream<CentralReport>.makeStream()
        try perform { world in
            if world.central(address) == nil { world.add(SimulatedCentral(address: address)) }
            world.central(address)?.play(steps) { reports.continuation.yield($0) }
        }
        var iterator = reports.stream.makeAsyncIterator()
        let report = await iterator.next()
        try report?.check()
        return report?.reads.last
    }

    /// Ends the link between hci0 and hci1 at hci0.
    func loseLink() async throws {
        try perform { $0.apply(.otherProgramDisconnects("00:AA:01:01:00:01")) }
        try await wait(.milliseconds(2_500))
    }

    /// Serves a sensor on hci0 and returns a system on hci1 with a proxy of the sensor.
    func connectedSensor(
        _ server: BleuConfiguration = BleuConfiguration(),
        _ client: BleuConfiguration = BleuConfiguration()
    ) async throws -> (parts: SensorParts, proxy: RoomSensor) {
        let parts = SensorParts()
        let system = system(0, server)
        try await system.startAdvertising(RoomSensor(parts, actorSystem: system))
        let found = try await self.system(1, client).discover(RoomSensor.self)
        return (parts, try #require(found.first))
    }
}

func adapterID(_ number: Int) -> UUID {
    let octet = String(format: "%02X", number)
    let address = "00:AA:01:\(octet):00:\(octet)"
    let identifier = try? PeripheralIdentifier(
        address: address,
        isRandomAddress: false,
        name: nil
    )
    return identifier?.uuid ?? UUID()
}

struct SensorReading: Codable, Hashable, Swift.Sendable {
    var value: Double
    var unit: String
}

struct SensorError: Error, Codable, Hashable {
    var code: Int
}

struct OpaqueError: Error {}

distributed actor RoomSensor: PeripheralActor {
    typealias ActorSystem = BLEActorSystem

    private let parts: SensorParts
    private var offset = 0.0
    private var calls = 0
    private var lines: [String] = []

    init(_ parts: SensorParts = SensorParts(), actorSystem: BLEActorSystem) {
        self.parts = parts
        self.actorSystem = actorSystem
    }

    distributed func readTemperature() async throws -> Double {
        calls += 1
        return 21.5 + offset
    }

    distributed func calibrate(offset: Double) async throws { self.offset = offset }
    distributed func numberOfCalls() async throws -> Int { calls }
    distributed func reading(unit: String) async throws -> SensorReading {
        SensorReading(value: 21.5 + offset, unit: unit)
    }
    distributed func note(_ line: String) async { lines.append(line) }
    distributed func allLines() async throws -> [String] { lines }
    distributed func echo(_ data: Data) async throws -> Data { data }
    distributed func longText() async throws -> String {
        calls += 1
        return String(repeating: "0123456789", count: 300)
    }
    distributed func failKnown() async throws -> Int {
        calls += 1
        throw SensorError(code: 7)
    }
    distributed func waitAndEcho(_ text: String) async throws -> String {
        calls += 1
        await parts.door.wait()
        return text
    }
    distributed func waitForValue() async throws -> Int {
        calls += 1
        await parts.door.wait()
        return 5
    }
    distributed func ticks() async throws -> AsyncStream<Int> { parts.ticker.stream() }
    distributed func failingTicks() async throws -> AsyncThrowingStream<Int, any Error> {
        parts.ticker.throwingStream()
    }
    distributed func heldStream() async throws -> AsyncStream<Int> {
        AsyncStream { [parts] in
            await parts.door.wait()
            return nil
        }
    }
    distributed func endless() async throws -> AsyncStream<Int> {
        AsyncStream { [parts] in parts.produced.next() }
    }
    distributed func failUnknown(_ text: String) async throws { throw OpaqueError() }
    distributed func count(to last: Int) async throws -> AsyncStream<Int> {
        let counter = NumberSource()
        return AsyncStream {
            let number = counter.next()
            return number <= last ? number : nil
        }
    }
    distributed func countAndFail(after last: Int) async throws
        -> AsyncThrowingStream<Int, any Error>
    {
        let counter = NumberSource()
        return AsyncThrowingStream {
            let number = counter.next()
            if number > last { throw SensorError(code: last) }
            return number
        }
    }
}

final class NumberSource: Swift.Sendable {
    private let stored = Atomic(0)

    var value: Int { stored.load(ordering: .relaxed) }

    @discardableResult
    func next() -> Int { stored.add(1, ordering: .relaxed).newValue }
}

final class SensorParts: Swift.Sendable {
    /// Releases the methods that wait.
    let door = Door()
    let ticker = Ticker()
    let produced = NumberSource()
}

/// Blocks methods until it is opened, even if their tasks are cancelled.
final class Door: Swift.Sendable {
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

    var count: Int { waiting.withLock { $0.count } }

    func wait() async {
        await withCheckedContinuation { continuation in
            waiting.withLock { $0.append(continuation) }
        }
    }

    func open() {
        let all = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for continuation in all { continuation.resume() }
    }
}

final class Ticker: Swift.Sendable {
    private let continuations = Mutex<[AsyncStream<Int>.Continuation]>([])
    let ended = NumberSource()

    var readers: Int { continuations.withLock { $0.count } }

    func stream() -> AsyncStream<Int> {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        continuation.onTermination = { [ended] _ in ended.next() }
        continuations.withLock { $0.append(continuation) }
        return stream
    }

    func throwingStream() -> AsyncThrowingStream<Int, any Error> {
        AsyncThrowingStream { continuation in
            continuation.onTermination = { [ended] _ in ended.next() }
        }
    }

    func send(_ number: Int) { continuations.withLock { $0 }.forEach { $0.yield(number) } }
    func finish() { continuations.withLock { $0 }.forEach { $0.finish() } }
}
