import Bluejay
import BluejayAsync

let bluejay = Bluejay(host: BluetoothHost())

func run() async throws {
    await bluejay.start()
    try await bluejay.connect(toFirst: .anyService([.heartRate]), within: 20)
    let readings = bluejay.values(of: .heartRateMeasurement, as: HeartRateReading.self)
    for try await reading in readings.prefix(3) {
        print("heart rate \(reading.beatsPerMinute)")
    }
    try await bluejay.disconnect()
}

try await run()
