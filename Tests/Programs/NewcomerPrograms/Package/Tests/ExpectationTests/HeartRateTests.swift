import Bluejay
import XCTest

/// `wait(for:)` runs Foundation's `RunLoop`, so the main loop runs on its own thread here.
final class HeartRateTests: XCTestCase {
    func testThreeHeartRates() {
        let bluejay = Bluejay(mainLoop: MainLoop(threadName: "bluetooth"))
        let three = expectation(description: "three heart rates")
        three.expectedFulfillmentCount = 3
        three.assertForOverFulfill = false

        bluejay.mainLoop.post {
            bluejay.start()
            bluejay.connect(toFirst: .anyService([.heartRate]), within: 20) { result in
                guard case .success = result else { return XCTFail("\(result)") }
                bluejay.listen(to: .heartRateMeasurement) {
                    (result: ReadResult<HeartRateReading>) in
                    guard case .success(let reading) = result else {
                        return XCTFail("\(result)")
                    }
                    print("heart rate \(reading.beatsPerMinute)")
                    three.fulfill()
                }
            }
        }
        wait(for: [three], timeout: 30)
    }
}
