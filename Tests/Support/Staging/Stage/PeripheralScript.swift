package import BluejaySimulator

/// A peripheral as a value, so that both stages can play it.
///
/// The simulated BlueZ plays it as a `SimulatedDevice`, the real one meets it as
/// `Tests/ExternalPeers/bumble_peripheral.py` on a controller of its own.
package struct PeripheralScript: Swift.Sendable {
    package struct Service: Swift.Sendable {
        package var uuid: String
        package var characteristics: [ScriptedCharacteristic]
        package var isPrimary = true
        /// Those of the services before it that it includes.
        package var included: [String] = []

        package init(_ uuid: String, _ characteristics: [ScriptedCharacteristic]) {
            self.uuid = uuid
            self.characteristics = characteristics
        }
    }

    package var address: String
    package var name: String
    package var advertising: [String]
    package var services: [Service]
    /// How it pairs; what the user of the device types, only the simulated BlueZ plays.
    package var pairing = SimulatedPairing.justWorks

    package init(address: String, name: String, advertising: [String], services: [Service]) {
        self.address = address
        self.name = name
        self.advertising = advertising
        self.services = services
    }

    /// A gadget that advertises 180D and has these characteristics in it.
    package static func gadget(
        _ characteristics: [ScriptedCharacteristic],
        name: String = "Gadget"
    ) -> PeripheralScript {
        PeripheralScript(
            address: "C0:00:00:00:00:01",
            name: name,
            advertising: ["180D"],
            services: [Service("180D", characteristics)]
        )
    }

    /// What `SimulatedDevice.heartRateSensor()` is.
    package static func heartRateSensor(
        address: String = "C4:7C:8D:6A:1F:02",
        name: String = "Heart Rate Sensor"
    ) -> PeripheralScript {
        PeripheralScript(
            address: address,
            name: name,
            advertising: ["180D"],
            services: [
                Service(
                    "180D",
                    [
                        ScriptedCharacteristic(
                            "2A37",
                            ["notify"],
                            .sends((60..<120).map { [0, UInt8($0)] }, everySeconds: 1)
                        ),
                        ScriptedCharacteristic("2A38", ["read"], .value([1])),
                        ScriptedCharacteristic("2A39", ["write"], .accepts([[1]], otherwise: 0x80)),
                    ]
                ),
                Service(
                    "180A",
                    [ScriptedCharacteristic("2A29", ["read"], .value(Array("Bluejay".utf8)))]
                ),
            ]
        )
    }

    /// The same for the simulated BlueZ.
    package var simulated: SimulatedDevice {
        let device = SimulatedDevice(address: address, name: name, advertising: advertising)
        device.pairing = pairing
        for service in services {
            device.addService(
                service.uuid,
                service.characteristics,
                isPrimary: service.isPrimary,
                including: service.included
            )
        }
        return device
    }
}
