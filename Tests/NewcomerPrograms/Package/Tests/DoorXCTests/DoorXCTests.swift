import BluejayAsync
import BluejayTesting
import Door
import XCTest

/// `async` test methods: the loop of the world has a thread of its own.
final class HeartTests: SimulatedBlueZTestCase {
    override func prepare(_ blueZ: SimulatedBlueZ) { blueZ.add(.heartRateSensor()) }

    func testItIsThereAnHourLater() async throws {
        let world = world
        try await world.run {
            let bluejay = world.makeBluejay()
            await bluejay.start()
            for try await found in bluejay.scan(serviceIdentifiers: [.heartRate]) {
                try await bluejay.connect(found.peripheralIdentifier, timeout: .seconds(10))
                break
            }
            try await world.clock.sleep(for: .seconds(3600))
            XCTAssertTrue(bluejay.isConnected)
        }
    }
}

/// Callbacks on the main thread: the loop of the world is `MainLoop.main`.
final class DoorXCTests: SimulatedBlueZTestCase {
    override var loop: WorldLoop { .main }

    override func prepare(_ blueZ: SimulatedBlueZ) {
        blueZ.userAgreesToPairing = true
        blueZ.add(.lock())
    }

    func testItOpens() throws {
        let door = Door()
        try world.wait("an answer") { answered in
            door.open { error in
                XCTAssertNil(error)
                answered()
            }
        }
    }
}
