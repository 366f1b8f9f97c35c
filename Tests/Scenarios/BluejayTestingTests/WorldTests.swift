import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import Testing

/// A class typical of programs on the main thread: callbacks, and no `Sendable`.
final class HeartMonitor {
    private let bluejay: Bluejay
    private(set) var beats: [Int] = []
    var onBeat: () -> Void = {}

    init(_ bluejay: Bluejay) {
        self.bluejay = bluejay
    }

    func begin(_ connected: @escaping (ConnectionResult) -> Void = { _ in }) {
        bluejay.start()
        bluejay.scan(serviceIdentifiers: [.heartRate]) { discovery, _ in
            .connect(discovery) { [self] result in
                connected(result)
                listen()
            }
        } stopped: { _, _ in
        }
    }

    private func listen() {
        bluejay.listen(to: .heartRateMeasurement) { [self] (result: ReadResult<HeartRateReading>) in
            guard case .success(let reading) = result else { return }
            beats.append(Int(reading.beatsPerMinute))
            onBeat()
        }
    }
}

@Suite(
    "Test worlds",
    .timeLimit(.minutes(15)),
    .simulatedBlueZ { $0.add(.heartRateSensor()) }
)
struct WorldTests {
    @Test("The body of a test runs on the loop before and after each await")
    func onLoop() async throws {
        let loop = try TestWorld.current.mainLoop
        #expect(loop.isCurrent)
        await Task.yield()
        #expect(loop.isCurrent)
        try await TestWorld.current.clock.sleep(for: .seconds(1))
        #expect(loop.isCurrent)
    }

    @Test("A class with callbacks can be tested unchanged")
    func callbacks() async throws {
        let world = try TestWorld.current
        let monitor = HeartMonitor(world.makeBluejay())
        try await world.expect("three beats", count: 3) { done in
            monitor.onBeat = { done() }
            monitor.begin()
        }
        #expect(monitor.beats == [60, 61, 62])
    }

    @Test("A synchronous test runs the loop while it waits")
    func callbacksWithoutAsync() throws {
        let world = try TestWorld.current
        let monitor = HeartMonitor(world.makeBluejay())
        try world.wait("the connection") { done in monitor.begin { _ in done() } }
        try world.wait("three beats") { monitor.beats.count == 3 }
        #expect(monitor.beats == [60, 61, 62])
    }

    @Test("A test on the main actor can await the library")
    @MainActor func mainActor() async throws {
        let bluejay = try await startedBluejay()
        let found = try await find(SimulatedDevice.HeartRateSensor.service, by: bluejay)
        try await bluejay.connect(found, timeout: .seconds(30))
        #expect(bluejay.isConnected)
        await #expect(throws: TestWorldError.self) {
            try await TestWorld.current.expect("x") { _ in }
        }
    }

    @Test("An instance on the loop uses the simulated bus by default")
    func address() async throws {
        let bluejay = Bluejay(mainLoop: try TestWorld.current.mainLoop)
        await bluejay.start()
        try await bluejay.waitUntilReady()
        #expect(bluejay.bluetoothState == .poweredOn)
    }

    @Test("An expectation that is not fulfilled fails after its timeout with its name and count")
    func missed() async throws {
        let world = try TestWorld.current
        let limit = Duration.seconds(30)
        let missed = TestWorldError.missed("two", came: 1, expected: 2, within: limit)
        await #expect(throws: missed) {
            try await world.expect("two", count: 2, within: limit) { done in done() }
        }
        #expect(throws: missed) {
            try world.wait("two", count: 2, within: limit) { done in done() }
        }
        #expect(throws: TestWorldError.missed("never", came: 0, expected: 1, within: limit)) {
            try world.wait("never", within: limit) { false }
        }
        #expect(missed.description == "two: 1 of 2 calls within 30.0 seconds")
    }

    @Test("An expectation may be fulfilled by any thread and more often than expected")
    func fulfilments() async throws {
        let world = try TestWorld.current
        try await world.expect("three", count: 3) { done in
            for _ in 0..<5 { Task.detached { done() } }
        }
        try await world.expect("none", count: 0) { _ in }
        try await world.expect("at once") { done in done() }
    }

    @Test("A cancelled wait throws CancellationError")
    func cancelled() async throws {
        let world = try TestWorld.current
        await #expect(throws: CancellationError.self) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await world.expect("never", within: .seconds(1e9)) { _ in }
                }
                group.cancelAll()
                try await group.waitForAll()
            }
        }
    }

    @Test("Waiting off the loop fails with a remedy, while perform works on any thread")
    func offLoop() async throws {
        let world = try TestWorld.current
        let error = await Task.detached {
            await #expect(throws: TestWorldError.self) {
                try await world.expect("x", within: .seconds(1)) { _ in }
            }
        }.value
        #expect(error?.description.contains("call it inside TestWorld.run") == true)
        let isConnected = try await Task.detached {
            try world.perform { $0.device("C4:7C:8D:6A:1F:02")?.isConnected }
        }.value
        #expect(isConnected == false)
    }

    @Test(
        "A nested trait adds its devices to the same world",
        .simulatedBlueZ { $0.add(.lock()) }
    )
    func nested() async throws {
        let found = try TestWorld.current.perform { blueZ in
            [SimulatedDevice.HeartRateSensor.address, SimulatedDevice.DoorLock.address]
                .map { blueZ.device($0) != nil }
        }
        #expect(found == [true, true])
    }

    @Test(
        "A nested trait with options creates another world",
        .simulatedBlueZ(SimulatorOptions()) { $0.add(.lock()) }
    )
    func nestedWithOptions() async throws {
        let found = try TestWorld.current.perform { blueZ in
            [SimulatedDevice.HeartRateSensor.address, SimulatedDevice.DoorLock.address]
                .map { blueZ.device($0) != nil }
        }
        #expect(found == [false, true])
    }

    @Test("Each case of a parameterised test has its own world", arguments: 0..<3)
    func cases(_ number: Int) async throws {
        let world = try TestWorld.current
        let writes = try world.perform { blueZ in
            let sensor = blueZ.device(SimulatedDevice.HeartRateSensor.address)
            sensor?.leaveRange()
            return sensor?.writeCount
        }
        #expect(writes == 0)
        #expect(world.clock.now.offset == .zero)
    }
}

@Suite("Worlds outside a test", .timeLimit(.minutes(15)))
struct OtherWorldTests {
    @Test("Without a trait, the error names the trait")
    func none() {
        #expect(throws: TestWorldError.none) { try TestWorld.current }
        #expect(TestWorldError.none.description.contains("trait .simulatedBlueZ"))
    }

    @Test("A world that has ended fails with ended")
    func ended() async throws {
        let kept = Kept()
        let trait = SimulatedBlueZTrait.simulatedBlueZ
        let test = try #require(Test.current)
        try await trait.provideScope(for: test, testCase: nil) {
            await kept.keep(try TestWorld.current)
        }
        let world = try #require(await kept.world)
        #expect(throws: TestWorldError.ended) { try world.perform { _ in } }
        await #expect(throws: TestWorldError.ended) { try await world.run {} }
        await #expect(throws: TestWorldError.ended) { try await world.expect("x") { _ in } }
    }

    @Test("Twenty concurrent worlds are independent", arguments: 0..<20)
    func many(_ number: Int) async throws {
        let world = try await TestWorld.make { $0.add(.heartRateSensor()) }
        try await world.run {
            let bluejay = try await startedBluejay()
            let found = try await find("180D", by: bluejay)
            try await bluejay.connect(found)
            try await world.clock.sleep(for: .seconds(number))
            let connected = try world.perform { $0.device("C4:7C:8D:6A:1F:02")?.isConnected }
            #expect(connected == true)
        }
    }
}

private actor Kept {
    var world: TestWorld?
    func keep(_ world: TestWorld) { self.world = world }
}
