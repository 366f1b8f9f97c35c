import Bluejay
import Dispatch
import Foundation

// libdispatch owns the main thread here, so the loop runs on its own thread.
let bluejay = Bluejay(mainLoop: MainLoop(threadName: "bluetooth"))

bluejay.mainLoop.post {
    var count = 0
    bluejay.start()
    bluejay.connect(toFirst: .anyService([.heartRate]), within: 20) { result in
        guard case .success = result else { return print(result) }
        bluejay.listen(to: .heartRateMeasurement) { (result: ReadResult<HeartRateReading>) in
            guard case .success(let reading) = result else { return print(result) }
            print("heart rate \(reading.beatsPerMinute)")
            count += 1
            if count == 3 { exit(0) }
        }
    }
}
dispatchMain()
