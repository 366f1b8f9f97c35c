import Bluejay

let heartRateService = ServiceIdentifier(uuid: "180D")
let heartRate = CharacteristicIdentifier(uuid: "2A37", service: heartRateService)
let bluejay = Bluejay()

bluejay.start()
bluejay.connect(toFirst: .anyService([heartRateService]), within: 20) { result in
    switch result {
    case .success(let sensor):
        print("connected to \(sensor)")
        bluejay.listen(to: heartRate) { (result: ReadResult<HeartRateReading>) in
            switch result {
            case .success(let reading): print("\(reading.beatsPerMinute) beats a minute")
            case .failure(let error): print(error)
            }
        }
    case .failure(let error):
        print(error)
        MainLoop.main.stop()
    }
}
MainLoop.main.run()
