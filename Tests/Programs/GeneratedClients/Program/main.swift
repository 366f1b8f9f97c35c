import BluejayAsync
import HeartRateSensor

await Bluejay.main { bluejay in
    let sensor = try await HeartRateSensor.connect(with: bluejay)
    let battery = try await sensor.batteryLevel()
    print("battery \(battery.percent ?? 0) %")
    for try await reading in sensor.heartRateMeasurements.prefix(2) {
        print("heart rate \(reading.beatsPerMinute)")
    }
}
