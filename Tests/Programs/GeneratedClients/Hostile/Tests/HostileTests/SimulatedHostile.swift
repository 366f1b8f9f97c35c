import BluejayTesting
import Hostile

/// The simulated device, with the attributes and the values of the device file.
enum SimulatedHostile {
    /// The address of the simulated device.
    static let address = "D0:FF:EE:00:00:01"

    /// Creates the device for one simulated BlueZ.
    static func makeDevice() -> SimulatedDevice {
        let device = SimulatedDevice(address: address, name: Hostile.name, advertising: ["FFF0"])
        device.addService(
            "FFF0",
            [
                ScriptedCharacteristic(
                    "F000",
                    ["read", "write", "notify"],
                    .value(Recorded.defaultValue),
                    descriptors: [("2901", Array("default".utf8))]
                ),
                ScriptedCharacteristic(
                    "F001",
                    ["read", "write", "notify"],
                    .value(Recorded.classValue),
                    descriptors: [("2901", Array("class".utf8))]
                ),
                ScriptedCharacteristic(
                    "F002",
                    ["read", "write", "notify"],
                    .value(Recorded.selfValue),
                    descriptors: [("2901", Array("self".utf8))]
                ),
                ScriptedCharacteristic(
                    "F003",
                    ["read", "write", "notify"],
                    .value(Recorded.initValue),
                    descriptors: [("2901", Array("init".utf8))]
                ),
                ScriptedCharacteristic(
                    "F004",
                    ["read", "write", "notify"],
                    .value(Recorded.characteristic1stValue),
                    descriptors: [("2901", Array("1st value".utf8))]
                ),
                ScriptedCharacteristic(
                    "F005",
                    ["read", "write", "notify"],
                    .value(Recorded.characteristicF005),
                    descriptors: [("2901", [])]
                ),
                ScriptedCharacteristic(
                    "F006",
                    ["read", "write", "notify"],
                    .value(Recorded.characteristicF006),
                    descriptors: [("2901", [0xF0, 0x9F, 0x98, 0x80])]
                ),
                ScriptedCharacteristic(
                    "F007",
                    ["read", "write", "notify"],
                    .value(Recorded.publicValue),
                    descriptors: [("2901", Array("*/ public".utf8))]
                ),
                ScriptedCharacteristic(
                    "F008",
                    ["read"],
                    .value(Recorded.characteristic1ErrorX),
                    descriptors: [("2901", Recorded.characteristic1ErrorXDescriptor0)]
                ),
                ScriptedCharacteristic(
                    "F009",
                    ["read"],
                    .value(Recorded.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa),
                    descriptors: [("2901", Recorded.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaDescriptor0)]
                ),
                ScriptedCharacteristic(
                    "F00A",
                    ["read", "write", "notify"],
                    .value(Recorded.connect2),
                    descriptors: [("2901", Array("connect".utf8))]
                ),
                ScriptedCharacteristic(
                    "F00B",
                    ["read", "write", "notify"],
                    .value(Recorded.bluejay2),
                    descriptors: [("2901", Array("bluejay".utf8))]
                ),
                ScriptedCharacteristic(
                    "F00C",
                    ["read"],
                    .value(Recorded.emissionDenergie),
                    descriptors: [("2901", Recorded.emissionDenergieDescriptor0)]
                ),
                ScriptedCharacteristic(
                    "F00D",
                    ["read", "write", "notify"],
                    .value(Recorded.setInterval),
                    descriptors: [("2901", Array("set interval".utf8))]
                ),
                ScriptedCharacteristic(
                    "F00E",
                    ["read", "write", "notify"],
                    .value(Recorded.interval2),
                    descriptors: [("2901", Array("interval".utf8))]
                ),
                ScriptedCharacteristic(
                    "F00F",
                    ["read", "write", "notify"],
                    .value(Recorded.intervals2),
                    descriptors: [("2901", Array("intervals".utf8))]
                ),
                ScriptedCharacteristic(
                    "F010",
                    ["read"],
                    .value(Recorded.x),
                    descriptors: [("2901", Array("``` `x`".utf8))]
                ),
                ScriptedCharacteristic(
                    "F011",
                    ["read"],
                    .value(Recorded.gnpExe),
                    descriptors: [("2901", Recorded.gnpExeDescriptor0)]
                ),
                ScriptedCharacteristic(
                    "F012",
                    ["read"],
                    .value(Recorded.parameterXYZQ),
                    descriptors: [("2901", Array("- Parameter x: y. Z! Q?".utf8))]
                ),
                ScriptedCharacteristic(
                    "F013",
                    ["read"],
                    .value(Recorded.type),
                    descriptors: [("2901", Array("type".utf8))]
                ),
                ScriptedCharacteristic(
                    "F014",
                    ["read"],
                    .value(Recorded.name2),
                    descriptors: [("2901", Array("name".utf8))]
                ),
                ScriptedCharacteristic(
                    "F015",
                    ["read"],
                    .value(Recorded.defaultValue2),
                    descriptors: [("2901", Array("Default".utf8))]
                ),
                ScriptedCharacteristic(
                    "F016",
                    ["read"],
                    .value(Recorded.value),
                    descriptors: [("2901", Array("value".utf8))]
                ),
                ScriptedCharacteristic(
                    "F017",
                    ["read"],
                    .value(Recorded.client),
                    descriptors: [("2901", Array("client".utf8))]
                ),
                ScriptedCharacteristic(
                    "F018",
                    ["read"],
                    .value(Recorded.characteristicF018),
                    descriptors: [("2901", [0xCC, 0x81, 0xCC, 0x81])]
                ),
                ScriptedCharacteristic(
                    "F019",
                    ["read"],
                    .value(Recorded.none),
                    descriptors: [("2901", Array("none".utf8))]
                ),
                ScriptedCharacteristic("F0FF", ["read"], .value(Recorded.characteristicF0FF)),
                ScriptedCharacteristic("F0FE", ["read"], .value(Recorded.characteristicF0FE)),
                ScriptedCharacteristic(
                    "F0FD",
                    ["read", "write", "notify"],
                    .replays(
                        Recorded.characteristicF0FDValues,
                        holding: Recorded.characteristicF0FD
                    )
                ),
            ]
        )
        device.addService(
            "FFF0",
            [
                ScriptedCharacteristic("2A37", ["read"], .value(Recorded.heartRateMeasurement)),
                ScriptedCharacteristic("2A19", ["read", "write"], .value(Recorded.batteryLevel)),
                ScriptedCharacteristic(
                    "2A29",
                    ["read", "write"],
                    .value(Recorded.manufacturerNameString)
                ),
            ]
        )
        device.addService("FFF1", [])
        device.addService(
            "180F",
            [
                ScriptedCharacteristic(
                    "2A19",
                    ["read", "write", "notify"],
                    .replays(Recorded.batteryLevel2Values, holding: Recorded.batteryLevel2)
                ),
                ScriptedCharacteristic("2BED", ["read"], .value(Recorded.batteryLevelStatus)),
            ]
        )
        device.addService(
            "180F",
            [ScriptedCharacteristic("2A19", ["read"], .value(Recorded.batteryLevel3))]
        )
        return device
    }
}

extension SimulatedHostile {
    /// The values of the device file.
    enum Recorded {
        /// The value of “default”, `F000`.
        static let defaultValue: [UInt8] = [0x00]

        /// The value of “class”, `F001`.
        static let classValue: [UInt8] = [0x01]

        /// The value of “self”, `F002`.
        static let selfValue: [UInt8] = [0x02]

        /// The value of “init”, `F003`.
        static let initValue: [UInt8] = [0x03]

        /// The value of “1st value”, `F004`.
        static let characteristic1stValue: [UInt8] = [0x04]

        /// The value of `F005`.
        static let characteristicF005: [UInt8] = [0x05]

        /// The value of “😀”, `F006`.
        static let characteristicF006: [UInt8] = [0x06]

        /// The value of “/ public”, `F007`.
        static let publicValue: [UInt8] = [0x07]

        /// The value of “" (1)" #error("x")”, `F008`.
        static let characteristic1ErrorX: [UInt8] = [0x08]

        /// The descriptor `2901` of “" (1)" #error("x")”, `F008`.
        static let characteristic1ErrorXDescriptor0: [UInt8] = [
            0x22, 0x5C, 0x28, 0x31, 0x29, 0x22, 0x0A, 0x23, 0x65, 0x72, 0x72, 0x6F, 0x72, 0x28,
            0x22, 0x78, 0x22, 0x29, 0x0D, 0xE2, 0x80, 0xA8,
        ]

        /// The value of “aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…”, `F009`.
        static let aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: [UInt8] = [0x09]

        /// The descriptor `2901` of “aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…”, `F009`.
        static let aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaDescriptor0: [UInt8] = [
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
            0x61, 0x61, 0x61, 0x61, 0x61, 0x61,
        ]

        /// The value of “connect”, `F00A`.
        static let connect2: [UInt8] = [0x0A]

        /// The value of “bluejay”, `F00B`.
        static let bluejay2: [UInt8] = [0x0B]

        /// The value of “Émission d'énergie”, `F00C`.
        static let emissionDenergie: [UInt8] = [0x0C]

        /// The descriptor `2901` of “Émission d'énergie”, `F00C`.
        static let emissionDenergieDescriptor0: [UInt8] = [
            0xC3, 0x89, 0x6D, 0x69, 0x73, 0x73, 0x69, 0x6F, 0x6E, 0x20, 0x64, 0x27, 0xC3, 0xA9,
            0x6E, 0x65, 0x72, 0x67, 0x69, 0x65,
        ]

        /// The value of “set interval”, `F00D`.
        static let setInterval: [UInt8] = [0x0D]

        /// The value of “interval”, `F00E`.
        static let interval2: [UInt8] = [0x0E]

        /// The value of “intervals”, `F00F`.
        static let intervals2: [UInt8] = [0x0F]

        /// The value of “x”, `F010`.
        static let x: [UInt8] = [0x10]

        /// The value of “gnp exe”, `F011`.
        static let gnpExe: [UInt8] = [0x11]

        /// The descriptor `2901` of “gnp exe”, `F011`.
        static let gnpExeDescriptor0: [UInt8] = [
            0xE2, 0x80, 0xAE, 0x67, 0x6E, 0x70, 0x2E, 0x65, 0x78, 0x65,
        ]

        /// The value of “- Parameter x: y Z Q”, `F012`.
        static let parameterXYZQ: [UInt8] = [0x12]

        /// The value of “type”, `F013`.
        static let type: [UInt8] = [0x13]

        /// The value of “name”, `F014`.
        static let name2: [UInt8] = [0x14]

        /// The value of “Default”, `F015`.
        static let defaultValue2: [UInt8] = [0x15]

        /// The value of “value”, `F016`.
        static let value: [UInt8] = [0x16]

        /// The value of “client”, `F017`.
        static let client: [UInt8] = [0x17]

        /// The value of “́́”, `F018`.
        static let characteristicF018: [UInt8] = [0x18]

        /// The value of “none”, `F019`.
        static let none: [UInt8] = [0x19]

        /// The value of `F0FF`.
        static let characteristicF0FF: [UInt8] = [
            0x22, 0x5C, 0x28, 0x31, 0x29, 0x2A, 0x2F, 0x0A, 0x2F, 0x2F,
        ]

        /// The value of `F0FE`.
        static let characteristicF0FE: [UInt8] = [
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        ]

        /// The value of `F0FD`.
        static let characteristicF0FD: [UInt8] = [
            0xE2, 0x80, 0xAE, 0xE2, 0x80, 0x8D, 0xF0, 0x9F, 0x98, 0x80,
        ]

        /// The notifications of `F0FD`.
        static let characteristicF0FDValues: [TimedValue] = [
            TimedValue(at: .milliseconds(1), [0x22, 0x22, 0x22, 0x23, 0x2A, 0x2F, 0x0A])
        ]

        /// The value of Heart Rate Measurement, `2A37`.
        static let heartRateMeasurement: [UInt8] = []

        /// The value of Battery Level, `2A19`.
        static let batteryLevel: [UInt8] = []

        /// The value of Manufacturer Name String, `2A29`.
        static let manufacturerNameString: [UInt8] = Array("\"#\\(1)".utf8)

        /// The value of Battery Level, `2A19`.
        static let batteryLevel2: [UInt8] = [0x50]

        /// The notifications of Battery Level, `2A19`.
        static let batteryLevel2Values: [TimedValue] = [TimedValue(at: .milliseconds(5), [0x50])]

        /// The value of Battery Level Status, `2BED`.
        static let batteryLevelStatus: [UInt8] = [0x00, 0x00, 0x00]

        /// The value of Battery Level, `2A19`.
        static let batteryLevel3: [UInt8] = [0xFF]
    }
}
