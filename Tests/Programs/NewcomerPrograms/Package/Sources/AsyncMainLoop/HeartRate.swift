import Bluejay
import BluejayAsync

@main
struct HeartRate {
    static func main() async {
        let bluejay = Bluejay()
        Task {
            do {
                await bluejay.start()
                for try await sensor in bluejay.scan(serviceIdentifiers: [.heartRate]) {
                    try await bluejay.connect(sensor.peripheralIdentifier, timeout: 15)
                    break
                }
                let readings = bluejay.values(of: .heartRateMeasurement, as: HeartRateReading.self)
                for try await reading in readings.prefix(3) {
                    print("heart rate \(reading.beatsPerMinute)")
                }
                try await bluejay.disconnect()
            } catch {
                print(error.localizedDescription)
            }
            MainLoop.main.stop()
        }
        MainLoop.main.run()
    }
}
