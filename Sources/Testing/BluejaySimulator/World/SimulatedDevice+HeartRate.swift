extension SimulatedDevice {
    /// Where things are in a ``SimulatedDevice/heartRateSensor(address:name:)``.
    public enum HeartRateSensor {
        /// Its address.
        public static let address = "C4:7C:8D:6A:1F:02"
        /// The advertised service.
        public static let service = "180D"
        /// Notifies a measurement each second.
        public static let measurement = "2A37"
        /// Where it is worn.
        public static let location = "2A38"
        /// Accepts 1.
        public static let controlPoint = "2A39"
    }

    /// A heart rate sensor that measures once a second, 60 to 119 beats per minute.
    ///
    /// 180D has measurements (2A37, `[0, beats]`), a location (2A38, chest) and a control point
    /// (2A39) that accepts 1 and refuses the rest with 0x80; 180A has a manufacturer (2A29).
    public static func heartRateSensor(
        address: String = HeartRateSensor.address,
        name: String = "Heart Rate Sensor"
    ) -> SimulatedDevice {
        let device = SimulatedDevice(address: address, name: name, advertising: ["180D"])
        let beats = (60..<120).map { [UInt8(0), UInt8($0)] }
        device.addService(
            "180D",
            [
                ScriptedCharacteristic("2A37", ["notify"], .sends(beats, everySeconds: 1)),
                ScriptedCharacteristic("2A38", ["read"], .value([1])),
                ScriptedCharacteristic("2A39", ["write"], .accepts([[1]], otherwise: 0x80)),
            ]
        )
        device.addService(
            "180A",
            [ScriptedCharacteristic("2A29", ["read"], .value(Array("Bluejay".utf8)))]
        )
        return device
    }
}
