import BluejayAsync

@main
struct HeartRate {
    static func main() async {
        let host = BluetoothHost(mainLoop: MainLoop(threadName: "bluetooth"))
        await Bluejay.main(
            connectedToFirst: .anyService([.heartRate]),
            within: 20,
            host: host
        ) { sensor in
            let readings = sensor.values(of: .heartRateMeasurement, as: HeartRateReading.self)
            for try await reading in readings.prefix(3) {
                print("heart rate \(reading.beatsPerMinute)")
            }
        }
    }
}
