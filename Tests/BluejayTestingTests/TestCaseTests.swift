import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import XCTest

final class AsyncTestCaseTests: SimulatedBlueZTestCase {
    override func prepare(_ blueZ: SimulatedBlueZ) { blueZ.add(.heartRateSensor()) }

    func testAwaitsOnTheLoop() async throws {
        let clock = world.clock
        try await world.run {
            let bluejay = try await startedBluejay()
            try await bluejay.connect(try await find("180D", by: bluejay), timeout: .seconds(10))
            try await clock.sleep(for: .seconds(3600))
            XCTAssertTrue(bluejay.isConnected)
            XCTAssertTrue(try TestWorld.current.mainLoop.isCurrent)
        }
    }

    func testAwaitsElsewhere() async throws {
        let bluejay = world.makeBluejay()
        await bluejay.start()
        let found = try await find("180D", by: bluejay)
        try world.perform { $0.device("C4:7C:8D:6A:1F:02")?.goAway() }
        do {
            try await bluejay.connect(found, timeout: .seconds(30))
            XCTFail("it has gone")
        } catch BluejayError.connectionTimedOut {}
    }

    func testExpectationsWorkWithAPost() {
        let three = expectation(description: "three beats")
        three.expectedFulfillmentCount = 3
        three.assertForOverFulfill = false
        let bluejay = world.makeBluejay()
        world.mainLoop.post {
            let monitor = HeartMonitor(bluejay)
            monitor.onBeat = { three.fulfill() }
            monitor.begin()
        }
        wait(for: [three], timeout: 30)
    }
}

final class MainLoopTestCaseTests: SimulatedBlueZTestCase {
    override var loop: WorldLoop { .main }
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

    func testAnotherThreadIsRefused() async throws {
        do {
            try await world.run {}
            XCTFail("the loop has no thread")
        } catch TestWorldError.wrongThread(let text) {
            XCTAssertTrue(text.contains("use a world with .ownThread"), text)
        }
    }
}
