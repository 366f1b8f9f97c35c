import Bluejay
import BluejayAsync

@main
struct HeartRate {
    static func main() async {
        let bluejay = Bluejay(host: BluetoothHost())
        await bluejay.start()
        do {
            let sensor = try await bluejay.connect(toFirst: .anyService([.heartRate]), within: 20)
            print("connected to \(sensor)")
            let readings = bluejay.values(of: .heartRateMeasurement, as: HeartRateReading.self)
            for try await reading in readings.prefix(3) {
                print("\(reading.beatsPerMinute) beats per minute")
            }
            try await bluejay.disconnect()
        } catch {
            print(error)
        }
    }
}
