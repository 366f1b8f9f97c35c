import BluejayAsync
import BluejayTesting
import Door
import XCTest

/// A class with callbacks on the main thread, and expectations.
final class DoorXCTests: SimulatedBlueZTestCase {
    override func prepare(_ blueZ: SimulatedBlueZ) {
        blueZ.userAgreesToPairing = true
        blueZ.add(.lock())
    }

    func testItOpens() {
        let door = Door()
        let answer = expectation(description: "an answer")
        door.open { error in
            XCTAssertNil(error)
            answer.fulfill()
        }
        wait(for: [answer], timeout: 10)
    }
}

final class HeartTests: SimulatedBlueZTestCase {
    override func prepare(_ blueZ: SimulatedBlueZ) { blueZ.add(.heartRateSensor()) }

    func testItIsThereAnHourLater() async throws {
        let bluejay = Bluejay()
        await bluejay.start()
        for try await found in bluejay.scan(serviceIdentifiers: [.heartRate]) {
            try await bluejay.connect(found.peripheralIdentifier, timeout: .seconds(10))
            break
        }
        try await world.clock.sleep(for: .seconds(3600))
        XCTAssertTrue(bluejay.isConnected)
    }
}
