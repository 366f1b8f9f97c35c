import BluejayAsync

await Bluejay.main(connectedToFirst: .anyService([.heartRate]), within: 20) { sensor in
    let readings = sensor.values(of: .heartRateMeasurement, as: HeartRateReading.self)
    for try await reading in readings {
        print("\(reading.beatsPerMinute) beats per minute")
    }
}
