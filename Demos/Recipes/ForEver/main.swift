import BluejayAsync

await Bluejay.main(connectedToFirst: .anyService([.heartRate])) { sensor in
    let readings = sensor.values(
        of: .heartRateMeasurement,
        as: HeartRateReading.self,
        isKept: true
    )
    for try await reading in readings {
        print("\(reading.beatsPerMinute) beats per minute")
    }
}
