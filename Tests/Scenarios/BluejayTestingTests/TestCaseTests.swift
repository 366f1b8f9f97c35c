import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import XCTest

/// Runs on the main loop, driven by the run loop of XCTest.
class MainLoopTestCaseTests: SimulatedBlueZTestCase {
    override func prepare(_ blueZ: SimulatedBlueZ) { blueZ.add(.heartRateSensor()) }

    func testAwaitsOnTheLoop() async throws {
        let world = world
        try await world.run {
            let bluejay = try await startedBluejay()
            let begun = world.clock.now
            try await bluejay.connect(try await find("180D", by: bluejay), timeout: .seconds(10))
            try await world.clock.sleep(for: .seconds(3600))
            XCTAssertTrue(bluejay.isConnected)
            XCTAssertTrue(world.mainLoop.isCurrent)
            XCTAssertGreaterThanOrEqual(begun.duration(to: world.clock.now), .seconds(3600))
            try await world.expect("at once") { done in done() }
        }
    }

    func testAwaitsElsewhere() async throws {
        let bluejay = world.makeBluejay()
        await bluejay.start()
        let found = try await find("180D", by: bluejay)
        try world.perform { $0.device("C4:7C:8D:6A:1F:02")?.leaveRange() }
        do {
            try await bluejay.connect(found, timeout: .seconds(30))
            XCTFail("connected to a peripheral out of range")
        } catch BluejayError.connectionTimedOut {}
    }

    func testExpectationsOfXCTest() {
        let three = expectation(description: "three beats")
        three.expectedFulfillmentCount = 3
        three.assertForOverFulfill = false
        let monitor = world.mainLoop.isCurrent ? HeartMonitor(world.makeBluejay()) : nil
        let bluejay = world.makeBluejay()
        guard let monitor else {
            world.mainLoop.post {
                let monitor = HeartMonitor(bluejay)
                monitor.onBeat = { three.fulfill() }
                monitor.begin()
            }
            return wait(for: [three], timeout: 30)
        }
        monitor.onBeat = { three.fulfill() }
        monitor.begin()
        wait(for: [three], timeout: 30)
        XCTAssertEqual(monitor.beats, [60, 61, 62])
        // Time stands still between waits and then resumes.
        let more = expectation(description: "a hundred beats")
        monitor.onBeat = { if monitor.beats.count == 100 { more.fulfill() } }
        wait(for: [more], timeout: 30)
        XCTAssertEqual(monitor.beats.count, 100)
    }
}

final class OwnThreadTestCaseTests: MainLoopTestCaseTests {
    override var loop: TestLoopMode { .ownThread }

    // XCTest on Linux runs inherited tests only if the class itself contains a test.
    func testTheLoopIsElsewhere() { XCTAssertFalse(world.mainLoop.isCurrent) }
}

final class PumpTests: SimulatedBlueZTestCase {
    override func prepare(_ blueZ: SimulatedBlueZ) { blueZ.add(.heartRateSensor()) }

    func testAClassOfTheMainThread() throws {
        let monitor = HeartMonitor(Bluejay())
        try world.wait("three beats", count: 3) { done in
            monitor.onBeat = { done() }
            monitor.begin()
        }
        XCTAssertEqual(monitor.beats, [60, 61, 62])
    }

    func testAnotherOne() throws {
        let monitor = HeartMonitor(Bluejay())
        monitor.begin()
        try world.wait("a hundred beats", within: .seconds(200)) { monitor.beats.count == 100 }
        XCTAssertGreaterThan(world.clock.now.offset, .seconds(99))
        XCTAssertThrowsError(try world.wait("nothing", within: .seconds(3600)) { _ in })
    }

    func testTheMainQueueIsServed() throws {
        try world.wait("a task of the main actor") { done in
            Task { @MainActor in done() }
        }
    }

    /// A pump, then `wait(for:)`, then another pump: each one must handle what the previous one left.
    func testBothWaysInTurns() throws {
        let monitor = HeartMonitor(Bluejay())
        monitor.begin()
        for round in 1...5 {
            try world.wait("beats") { monitor.beats.count >= round * 20 - 10 }
            let more = expectation(description: "more beats")
            monitor.onBeat = { if monitor.beats.count == round * 20 { more.fulfill() } }
            wait(for: [more], timeout: 30)
            monitor.onBeat = {}
        }
        XCTAssertEqual(monitor.beats.count, 100)
    }

    /// A main actor class, as in programs with a window.
    @MainActor func testTheMainActor() async throws {
        let bluejay = Bluejay()
        await bluejay.start()
        let found = try await find("180D", by: bluejay)
        try await bluejay.connect(found, timeout: .seconds(10))
        XCTAssertTrue(bluejay.isConnected)
    }
}

final class RealTimeTests: SimulatedBlueZTestCase {
    override var time: TestClockMode { .real }
    override var simulatorOptions: SimulatorOptions {
        var options = SimulatorOptions()
        options.timeScale = 0.01
        return options
    }
    override func prepare(_ blueZ: SimulatedBlueZ) { blueZ.add(.heartRateSensor()) }

    func testTimersOfTheMachineFireInAWait() {
        let twenty = expectation(description: "twenty beats")
        let monitor = HeartMonitor(Bluejay())
        monitor.onBeat = { if monitor.beats.count == 20 { twenty.fulfill() } }
        monitor.begin()
        wait(for: [twenty], timeout: 30)
    }
}
