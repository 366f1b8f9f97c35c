import BluejayTesting
import HeartRateSensor

/// The simulated device, with the attributes and the values of the device file.
enum SimulatedHeartRateSensor {
    /// The address of the simulated device.
    static let address = "C4:7C:8D:6A:1F:02"

    /// Creates the device for one simulated BlueZ.
    static func makeDevice() -> SimulatedDevice {
        let device = SimulatedDevice(
            address: address,
            name: HeartRateSensor.name,
            advertising: ["180D"]
        )
        device.setManufacturerData(0x0059, [0x01, 0x02])
        device.addService(
            "180D",
            [
                ScriptedCharacteristic(
                    "2A37",
                    ["notify"],
                    .replays(Recorded.heartRateMeasurements, holding: nil),
                    descriptors: [("2901", Array("Beats".utf8))]
                ),
                ScriptedCharacteristic("2A38", ["read"], .value(Recorded.bodySensorLocation)),
                ScriptedCharacteristic("2A39", ["write"], .replays([], holding: nil)),
            ]
        )
        device.addService(
            "180F",
            [
                ScriptedCharacteristic(
                    "2A19",
                    ["read", "notify"],
                    .replays(Recorded.batteryLevels, holding: Recorded.batteryLevel)
                )
            ]
        )
        device.addService(
            "180A",
            [ScriptedCharacteristic("2A29", ["read"], .value(Recorded.manufacturerNameString))]
        )
        return device
    }
}

extension SimulatedHeartRateSensor {
    /// The values of the device file.
    enum Recorded {
        /// The notifications of Heart Rate Measurement, `2A37`.
        static let heartRateMeasurements: [TimedValue] = [
            TimedValue(at: .milliseconds(1000), [0x00, 0x3C]),
            TimedValue(at: .milliseconds(2000), [0x00, 0x3D]),
        ]

        /// The value of Body Sensor Location, `2A38`.
        static let bodySensorLocation: [UInt8] = [0x01]

        /// The value of Battery Level, `2A19`.
        static let batteryLevel: [UInt8] = [0x5A]

        /// The notifications of Battery Level, `2A19`.
        static let batteryLevels: [TimedValue] = [TimedValue(at: .milliseconds(5000), [0x59])]

        /// The value of Manufacturer Name String, `2A29`.
        static let manufacturerNameString: [UInt8] = Array("Bluejay".utf8)
    }
}
