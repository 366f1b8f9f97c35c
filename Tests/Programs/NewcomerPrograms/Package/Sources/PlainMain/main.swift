import Bluejay

let bluejay = Bluejay()
var count = 0

bluejay.start()
bluejay.connect(toFirst: .anyService([.heartRate]), within: 20) { result in
    if case .failure(let error) = result {
        print(error)
        return MainLoop.main.stop()
    }
    bluejay.listen(to: .heartRateMeasurement) { (result: ReadResult<HeartRateReading>) in
        guard case .success(let reading) = result else { return print(result) }
        print("heart rate \(reading.beatsPerMinute)")
        count += 1
        if count == 3 { MainLoop.main.stop() }
    }
}
MainLoop.main.run()
