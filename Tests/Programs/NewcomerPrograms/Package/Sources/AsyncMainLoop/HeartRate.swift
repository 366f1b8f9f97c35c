import BluejayAsync

@main
struct HeartRate {
    static func main() async {
        let bluejay = Bluejay()
        Task {
            do {
                try await bluejay.withConnection(
                    toFirst: .anyService([.heartRate]),
                    within: 20
                ) { sensor in
                    let readings = sensor.values(
                        of: .heartRateMeasurement,
                        as: HeartRateReading.self
                    )
                    for try await reading in readings.prefix(3) {
                        print("heart rate \(reading.beatsPerMinute)")
                    }
                }
            } catch {
                print(error.localizedDescription)
            }
            MainLoop.main.stop()
        }
        MainLoop.main.run()
    }
}
