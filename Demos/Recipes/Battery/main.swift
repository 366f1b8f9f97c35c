import BluejayAsync

await Bluejay.main(connectedToFirst: .name("Heart Rate Sensor"), within: 20) { sensor in
    print("\(try await sensor.batteryLevel()) %")
}
