package import BluejaySimulator

/// The description of a peripheral, which both testbeds can play.
///
/// The simulated BlueZ plays it as a `SimulatedDevice`; with the real one,
/// `Tests/ExternalPeers/bumble_peripheral.py` plays it on its own controller.
package struct PeripheralScript: Swift.Sendable {
    package struct Service: Swift.Sendable {
        package var uuid: String
        package var characteristics: [ScriptedCharacteristic]
        package var isPrimary = true
        /// The earlier services that it includes.
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
    /// The pairing; only the simulated BlueZ plays what the user of the device types.
    package var pairing = SimulatedPairing.justWorks

    package init(address: String, name: String, advertising: [String], services: [Service]) {
        self.address = address
        self.name = name
        self.advertising = advertising
        self.services = services
    }

    /// Returns a gadget that advertises 180D, with these characteristics in it.
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

    /// Returns the counterpart of `SimulatedDevice.heartRateSensor()`.
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

    /// The device for the simulated BlueZ.
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
