extension DeviceBuilder {
    /// A heart-rate belt that sends a value each second, from 60 to 119 beats per minute and again.
    ///
    /// Heart Rate (180D): 2A37 sends `[0, beats]`, 2A38 says wrist, 2A39 takes 01 and refuses the
    /// rest with 0x80. Device Information (180A): 2A29.
    public static var heartRateSensor: DeviceBuilder {
        var sensor = DeviceBuilder("Heart Rate Sensor", address: "C4:7C:8D:6A:1F:02")
        sensor.advertisedServices = ["180D"]
        sensor.appearance = 0x0341
        let beats = (60...119).map { [UInt8(0), UInt8($0)] }
        sensor.services = [
            SimulatedService(
                "180D",
                [
                    SimulatedCharacteristic(
                        "2A37",
                        ["notify"],
                        notifying: .every(.seconds(1), beats)
                    ),
                    SimulatedCharacteristic("2A38", ["read"], value: [2]),
                    SimulatedCharacteristic(
                        "2A39",
                        ["write"],
                        writing: .accept([[1]], otherwise: 0x80)
                    ),
                ]
            ),
            SimulatedService(
                "180A",
                [SimulatedCharacteristic("2A29", ["read"], value: Array("Bluejay".utf8))]
            ),
        ]
        return sensor
    }
}
