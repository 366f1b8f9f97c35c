import Bluejay
import HeartRate

let monitor = HeartRateMonitor()
var count = 0

monitor.start { beats in
    print("heart rate \(beats.perMinute)")
    count += 1
    if count == 3 { MainLoop.main.stop() }
}
MainLoop.main.run()
