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
    "The world of a test",
    .timeLimit(.minutes(15)),
    .simulatedBlueZ { $0.add(.heartRateSensor()) }
)
struct WorldTests {
    @Test("The body of a test runs on the loop, before and behind each await")
    func onLoop() async throws {
        let loop = try TestWorld.current.mainLoop
        #expect(loop.isCurrent)
        await Task.yield()
        #expect(loop.isCurrent)
        try await TestWorld.current.clock.sleep(for: .seconds(1))
        #expect(loop.isCurrent)
    }

    @Test("A class with callbacks is tested as it is")
    func callbacks() async throws {
        let world = try TestWorld.current
        let monitor = HeartMonitor(world.makeBluejay())
        try await world.expect("three beats", count: 3) { done in
            monitor.onBeat = { done() }
            monitor.begin()
        }
        #expect(monitor.beats == [60, 61, 62])
    }

    @Test("Also in a test that is not async, which runs the loop while it waits")
    func callbacksWithoutAsync() throws {
        let world = try TestWorld.current
        let monitor = HeartMonitor(world.makeBluejay())
        try world.wait("the connection") { done in monitor.begin { _ in done() } }
        try world.wait("three beats") { monitor.beats.count == 3 }
        #expect(monitor.beats == [60, 61, 62])
    }

    @Test("A test of the main actor awaits the library from there")
    @MainActor func mainActor() async throws {
        let bluejay = try await startedBluejay()
        let found = try await find(SimulatedDevice.HeartRateSensor.service, by: bluejay)
        try await bluejay.connect(found, timeout: .seconds(30))
        #expect(bluejay.isConnected)
        await #expect(throws: TestWorldError.self) {
            try await TestWorld.current.expect("x") { _ in }
        }
    }

    @Test("A Bluejay on the loop without an address is in the simulated BlueZ")
    func address() async throws {
        let bluejay = Bluejay(mainLoop: try TestWorld.current.mainLoop)
        await bluejay.start()
        try await bluejay.waitUntilReady()
        #expect(bluejay.bluetoothState == .poweredOn)
    }

    @Test("What does not come is missed after the limit, with its name and its count")
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
        #expect(missed.description == "two: came 1 of 2 times within 30.0 seconds")
    }

    @Test("A fulfilment may come from any thread, too often, and not be needed at all")
    func fulfilments() async throws {
        let world = try TestWorld.current
        try await world.expect("three", count: 3) { done in
            for _ in 0..<5 { Task.detached { done() } }
        }
        try await world.expect("none", count: 0) { _ in }
        try await world.expect("at once") { done in done() }
    }

    @Test("A wait that is cancelled ends with the cancellation")
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

    @Test("Off the loop a wait is refused with a sentence, and perform goes there")
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
        "A trait inside another adds its devices to the same world",
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
        "A trait inside another with options of its own makes another world",
        .simulatedBlueZ(SimulatorOptions()) { $0.add(.lock()) }
    )
    func nestedWithOptions() async throws {
        let found = try TestWorld.current.perform { blueZ in
            [SimulatedDevice.HeartRateSensor.address, SimulatedDevice.DoorLock.address]
                .map { blueZ.device($0) != nil }
        }
        #expect(found == [false, true])
    }

    @Test("Each case of a test has a world of its own", arguments: 0..<3)
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

@Suite("A world outside a test", .timeLimit(.minutes(15)))
struct OtherWorldTests {
    @Test("Without a trait there is none, and the error says how to get one")
    func none() {
        #expect(throws: TestWorldError.none) { try TestWorld.current }
        #expect(TestWorldError.none.description.contains("trait .simulatedBlueZ"))
    }

    @Test("One that has ended says so")
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

    @Test("Twenty at once do not meet", arguments: 0..<20)
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
