import BluejayAsync

await Bluejay.main(connectedToFirst: .name("Heart Rate Sensor"), within: 20) { sensor in
    for service in sensor.services {
        print(service)
    }
}
