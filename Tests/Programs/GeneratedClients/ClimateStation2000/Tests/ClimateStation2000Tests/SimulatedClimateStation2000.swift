import BluejayTesting
import ClimateStation2000

/// The simulated device, with the attributes and the values of the device file.
enum SimulatedClimateStation2000 {
    /// The address of the simulated device.
    static let address = "00:1B:DC:07:32:EF"

    /// Creates the device for one simulated BlueZ.
    static func makeDevice() -> SimulatedDevice {
        let device = SimulatedDevice(
            address: address,
            isRandom: false,
            name: ClimateStation2000.name,
            advertising: ["181A"]
        )
        device.pairing = .passkey(123_456)
        device.addService(
            "181A",
            [
                ScriptedCharacteristic(
                    "2A6E",
                    ["read", "notify"],
                    .replays(Recorded.insideTemperatures, holding: Recorded.insideTemperature),
                    descriptors: [("2901", Array("Inside temperature".utf8))]
                ),
                ScriptedCharacteristic(
                    "2A6E",
                    ["read", "notify"],
                    .replays(Recorded.outsideTemperatures, holding: Recorded.outsideTemperature),
                    descriptors: [("2901", Array("Outside temperature".utf8))]
                ),
                ScriptedCharacteristic("2A6F", ["read"], .value(Recorded.humidity)),
                ScriptedCharacteristic("2A6D", ["read"], .value(Recorded.pressure)),
                ScriptedCharacteristic(
                    "2A6E",
                    ["read"],
                    .value(Recorded.insideTemperature2),
                    descriptors: [("2901", Array("Inside temperature".utf8))]
                ),
            ]
        )
        device.addService(
            "FFB0",
            [ScriptedCharacteristic("2A19", ["read"], .value(Recorded.batteryLevel))]
        )
        device.addService(
            "FFB0",
            [ScriptedCharacteristic("2A19", ["read"], .value(Recorded.batteryLevel2))],
            isPrimary: false
        )
        device.addService(
            "1812",
            [
                ScriptedCharacteristic(
                    "2A4D",
                    ["read", "notify"],
                    .replays(Recorded.reports, holding: Recorded.report),
                    descriptors: [("2908", [0x01, 0x01])]
                ),
                ScriptedCharacteristic(
                    "2A4D",
                    ["read", "write"],
                    .value(Recorded.report2),
                    descriptors: [("2908", [0x01, 0x02])]
                ),
                ScriptedCharacteristic("2A4B", ["read"], .value(Recorded.reportMap)),
            ]
        )
        device.addService(
            "180A",
            [
                ScriptedCharacteristic("2A29", ["read"], .value(Recorded.manufacturerNameString)),
                ScriptedCharacteristic("2A23", ["read"], .value(Recorded.systemID)),
                ScriptedCharacteristic("2A50", ["read"], .value(Recorded.pnpID)),
                ScriptedCharacteristic("2A24", ["read"], .value(Recorded.modelNumberString)),
            ]
        )
        device.addService(
            "1805",
            [
                ScriptedCharacteristic(
                    "2A2B",
                    ["read", "write", "notify"],
                    .replays(Recorded.currentTimes, holding: Recorded.currentTime)
                ),
                ScriptedCharacteristic("2A0F", ["read"], .value(Recorded.localTimeInformation)),
            ]
        )
        device.addService(
            "6E400001-B5A3-F393-E0A9-E50E24DCCA9E",
            [
                ScriptedCharacteristic(
                    "6E400002-B5A3-F393-E0A9-E50E24DCCA9E",
                    ["write", "write-without-response"],
                    .replays([], holding: nil),
                    descriptors: [("2901", Array("Interval".utf8))]
                ),
                ScriptedCharacteristic(
                    "6E400003-B5A3-F393-E0A9-E50E24DCCA9E",
                    ["notify"],
                    .replays(Recorded.samplesValues, holding: nil),
                    descriptors: [
                        ("2901", Array("Samples".utf8)),
                        ("2904", Recorded.samplesDescriptor1),
                    ]
                ),
                ScriptedCharacteristic(
                    "6E400004-B5A3-F393-E0A9-E50E24DCCA9E",
                    ["read", "encrypt-write"],
                    .value(Recorded.characteristic6E400004)
                ),
                ScriptedCharacteristic(
                    "6E400004-B5A3-F393-E0A9-E50E24DCCA9E",
                    ["indicate"],
                    .replays(Recorded.characteristic6E400004Instance2Values, holding: nil)
                ),
                ScriptedCharacteristic(
                    "A0000001-0000-4000-8000-000000000001",
                    ["encrypt-authenticated-read", "write-without-response"],
                    .value(Recorded.characteristicA0000001)
                ),
                ScriptedCharacteristic("FFE1", ["read"], .replays([], holding: nil)),
                ScriptedCharacteristic("FFE2", ["broadcast"], .replays([], holding: nil)),
            ]
        )
        return device
    }
}

extension SimulatedClimateStation2000 {
    /// The values of the device file.
    enum Recorded {
        /// The value of Temperature, `2A6E`.
        static let insideTemperature: [UInt8] = [0x34, 0x08]

        /// The notifications of Temperature, `2A6E`.
        static let insideTemperatures: [TimedValue] = [
            TimedValue(at: .milliseconds(0), [0x34, 0x08])
        ]

        /// The value of Temperature, `2A6E#1`.
        static let outsideTemperature: [UInt8] = [0xF6, 0xFF]

        /// The notifications of Temperature, `2A6E#1`.
        static let outsideTemperatures: [TimedValue] = [
            TimedValue(at: .milliseconds(60000), [0xF5, 0xFF])
        ]

        /// The value of Humidity, `2A6F`.
        static let humidity: [UInt8] = [0x88, 0x13]

        /// The value of Pressure, `2A6D`.
        static let pressure: [UInt8] = [0x40, 0x77, 0x0F, 0x00]

        /// The value of Temperature, `2A6E#2`.
        static let insideTemperature2: [UInt8] = [0x01, 0x02, 0x03, 0x04, 0x05]

        /// The value of Battery Level, `2A19`.
        static let batteryLevel: [UInt8] = [0x64]

        /// The value of Battery Level, `2A19`.
        static let batteryLevel2: [UInt8] = [0x32]

        /// The value of Report, `2A4D`.
        static let report: [UInt8] = [0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00]

        /// The notifications of Report, `2A4D`.
        static let reports: [TimedValue] = [
            TimedValue(at: .milliseconds(20), [0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00])
        ]

        /// The value of Report, `2A4D#1`.
        static let report2: [UInt8] = [0x00]

        /// The value of Report Map, `2A4B`.
        static let reportMap: [UInt8] = [
            0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07,
            0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07,
            0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07,
            0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07,
            0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07,
            0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07,
            0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07,
            0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07,
            0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07, 0x05, 0x07,
        ]

        /// The value of Manufacturer Name String, `2A29`.
        static let manufacturerNameString: [UInt8] = Array("Bluejay".utf8)

        /// The value of System ID, `2A23`.
        static let systemID: [UInt8] = [0x02, 0x1F, 0x6A, 0xFE, 0xFF, 0x8D, 0x7C, 0xC4]

        /// The value of PnP ID, `2A50`.
        static let pnpID: [UInt8] = [0x01, 0x59, 0x00, 0x01, 0x00, 0x00, 0x01]

        /// The value of Model Number String, `2A24`.
        static let modelNumberString: [UInt8] = [0xFF, 0x41]

        /// The value of Current Time, `2A2B`.
        static let currentTime: [UInt8] = [
            0xEA, 0x07, 0x0B, 0x1D, 0x0F, 0x2C, 0x00, 0x07, 0x00, 0x00,
        ]

        /// The notifications of Current Time, `2A2B`.
        static let currentTimes: [TimedValue] = [
            TimedValue(
                at: .milliseconds(1000),
                [0xEA, 0x07, 0x0B, 0x1D, 0x0F, 0x2C, 0x01, 0x07, 0x00, 0x00]
            )
        ]

        /// The value of Local Time Information, `2A0F`.
        static let localTimeInformation: [UInt8] = [0x04, 0x00]

        /// The notifications of “Samples”, `6E400003-B5A3-F393-E0A9-E50E24DCCA9E`.
        // The file has 3 more.
        static let samplesValues: [TimedValue] = [
            TimedValue(at: .milliseconds(100), [0x01, 0x01]),
            TimedValue(
                at: .milliseconds(200),
                [
                    0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02,
                    0x02, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02,
                ]
            ),
            TimedValue(at: .milliseconds(300), [0x03, 0x03]),
            TimedValue(at: .milliseconds(400), [0x04, 0x04]),
            TimedValue(at: .milliseconds(500), [0x05, 0x05]),
            TimedValue(at: .milliseconds(600), [0x06, 0x06]),
            TimedValue(at: .milliseconds(700), [0x07, 0x07]),
            TimedValue(at: .milliseconds(800), [0x08, 0x08]),
            TimedValue(at: .milliseconds(900), [0x09, 0x09]),
            TimedValue(at: .milliseconds(1000), [0x0A, 0x0A]),
            TimedValue(at: .milliseconds(1100), [0x0B, 0x0B]),
            TimedValue(at: .milliseconds(1200), [0x0C, 0x0C]),
            TimedValue(at: .milliseconds(1300), [0x0D, 0x0D]),
            TimedValue(at: .milliseconds(1400), [0x0E, 0x0E]),
            TimedValue(at: .milliseconds(1500), [0x0F, 0x0F]),
            TimedValue(at: .milliseconds(1600), [0x10, 0x10]),
            TimedValue(at: .milliseconds(1700), [0x11, 0x11]),
            TimedValue(at: .milliseconds(1800), [0x12, 0x12]),
            TimedValue(at: .milliseconds(1900), [0x13, 0x13]),
            TimedValue(at: .milliseconds(2000), [0x14, 0x14]),
            TimedValue(at: .milliseconds(2100), [0x15, 0x15]),
            TimedValue(at: .milliseconds(2200), [0x16, 0x16]),
            TimedValue(at: .milliseconds(2300), [0x17, 0x17]),
            TimedValue(at: .milliseconds(2400), [0x18, 0x18]),
            TimedValue(at: .milliseconds(2500), [0x19, 0x19]),
            TimedValue(at: .milliseconds(2600), [0x1A, 0x1A]),
            TimedValue(at: .milliseconds(2700), [0x1B, 0x1B]),
            TimedValue(at: .milliseconds(2800), [0x1C, 0x1C]),
            TimedValue(at: .milliseconds(2900), [0x1D, 0x1D]),
            TimedValue(at: .milliseconds(3000), [0x1E, 0x1E]),
            TimedValue(at: .milliseconds(3100), [0x1F, 0x1F]),
            TimedValue(at: .milliseconds(3200), [0x20, 0x20]),
            TimedValue(at: .milliseconds(3300), [0x21, 0x21]),
            TimedValue(at: .milliseconds(3400), [0x22, 0x22]),
            TimedValue(at: .milliseconds(3500), [0x23, 0x23]),
            TimedValue(at: .milliseconds(3600), [0x24, 0x24]),
            TimedValue(at: .milliseconds(3700), [0x25, 0x25]),
            TimedValue(at: .milliseconds(3800), [0x26, 0x26]),
            TimedValue(at: .milliseconds(3900), [0x27, 0x27]),
            TimedValue(at: .milliseconds(4000), [0x28, 0x28]),
            TimedValue(at: .milliseconds(4100), [0x29, 0x29]),
            TimedValue(at: .milliseconds(4200), [0x2A, 0x2A]),
            TimedValue(at: .milliseconds(4300), [0x2B, 0x2B]),
            TimedValue(at: .milliseconds(4400), [0x2C, 0x2C]),
            TimedValue(at: .milliseconds(4500), [0x2D, 0x2D]),
            TimedValue(at: .milliseconds(4600), [0x2E, 0x2E]),
            TimedValue(at: .milliseconds(4700), [0x2F, 0x2F]),
            TimedValue(at: .milliseconds(4800), [0x30, 0x30]),
            TimedValue(at: .milliseconds(4900), [0x31, 0x31]),
            TimedValue(at: .milliseconds(5000), [0x32, 0x32]),
        ]

        /// The descriptor `2904` of “Samples”, `6E400003-B5A3-F393-E0A9-E50E24DCCA9E`.
        static let samplesDescriptor1: [UInt8] = [0x0E, 0x00, 0xAD, 0x27, 0x01, 0x00, 0x00, 0x00]

        /// The value of `6E400004-B5A3-F393-E0A9-E50E24DCCA9E`.
        static let characteristic6E400004: [UInt8] = Array("a setting".utf8)

        /// The notifications of `6E400004-B5A3-F393-E0A9-E50E24DCCA9E#1`.
        static let characteristic6E400004Instance2Values: [TimedValue] = [
            TimedValue(
                at: .milliseconds(30),
                [0x69, 0x6E, 0x64, 0x69, 0x63, 0x61, 0x74, 0x65, 0x64]
            )
        ]

        /// The value of `A0000001-0000-4000-8000-000000000001`.
        static let characteristicA0000001: [UInt8] = Array("behind a passkey".utf8)
    }
}
