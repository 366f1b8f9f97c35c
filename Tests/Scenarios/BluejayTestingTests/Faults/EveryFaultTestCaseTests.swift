import BluejayAsync
import BluejayTesting
import XCTest

final class EveryFaultTestCaseTests: SimulatedBlueZTestCase {
    override func prepare(_ blueZ: SimulatedBlueZ) { blueZ.add(.heartRateSensor()) }

    func testAdapters() async throws {
        try await withEveryFault {
            let bluejay = try TestWorld.current.makeBluejay()
            await bluejay.start()
            try await bluejay.waitUntilReady(within: 20)
            let adapters = try await bluejay.listAdapters()
            XCTAssertEqual(adapters.count, 2)
        }
    }
}
