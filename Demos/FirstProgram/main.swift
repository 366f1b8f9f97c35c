import Bluejay

let heartRateService = ServiceIdentifier(uuid: "180D")
let heartRate = CharacteristicIdentifier(uuid: "2A37", service: heartRateService)
let bluejay = Bluejay()

bluejay.start()
bluejay.scan(serviceIdentifiers: [heartRateService]) { discovery, _ in
    .connect(discovery) { result in
        guard case .success(let sensor) = result else { return print(result) }
        print("connected to \(sensor)")
        bluejay.listen(to: heartRate) { (result: ReadResult<HeartRateReading>) in
            switch result {
            case .success(let reading): print("\(reading.beatsPerMinute) beats a minute")
            case .failure(let error): print(error)
            }
        }
    }
} stopped: { _, error in
    if let error { print(error) }
}
MainLoop.main.run()
