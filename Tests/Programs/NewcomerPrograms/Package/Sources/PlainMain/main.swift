import Bluejay

let bluejay = Bluejay()
var count = 0

bluejay.start()
bluejay.scan(serviceIdentifiers: [.heartRate]) { discovery, _ in
    .connect(discovery) { result in
        guard case .success = result else { return print(result) }
        bluejay.listen(to: .heartRateMeasurement) { (result: ReadResult<HeartRateReading>) in
            guard case .success(let reading) = result else { return print(result) }
            print("heart rate \(reading.beatsPerMinute)")
            count += 1
            if count == 3 { MainLoop.main.stop() }
        }
    }
} stopped: { _, error in
    if let error { print(error.localizedDescription) }
}
MainLoop.main.run()
