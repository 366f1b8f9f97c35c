internal import Bluejay
internal import BluejaySimulator

extension PeripheralScript {
    /// A member of a crowd, which is identified by its own service.
    package static func member(_ number: UInt8) -> PeripheralScript {
        var script = PeripheralScript.gadget(
            [
                ScriptedCharacteristic("2A37", ["notify"], .value([])),
                ScriptedCharacteristic("2A38", ["read"], .value([number])),
                ScriptedCharacteristic("2A39", ["write"], .value([])),
            ],
            name: "Gadget \(number)"
        )
        script.address = "C0:00:00:00:00:0\(number)"
        script.advertising = [service(number)]
        return script
    }

    package static func service(_ number: UInt8) -> String { "FFE\(number)" }
}

extension ScenarioContext {
    /// Returns this number of peripherals, each discovered by its own instance.
    package func foundPeripherals(_ count: UInt8, onOneLoop: Bool = false) async throws
        -> [DiscoveredPeripheral]
    {
        var crowd: [DiscoveredPeripheral] = []
        for number in 1...count {
            let peripheral = try await testbed.add(.member(number))
            let central = await central(
                adapter: "hci0",
                sharing: onOneLoop ? crowd.first?.central : nil
            )
            let identifier = try await central.find(PeripheralScript.service(number))
            crowd.append(
                DiscoveredPeripheral(
                    central: central,
                    peripheral: peripheral,
                    identifier: identifier
                )
            )
        }
        return crowd
    }
}

extension Sequence<DiscoveredPeripheral> {
    package func connect() async throws {
        try await withThrowingTaskGroup { group in
            for each in self {
                group.addTask {
                    try await each.central.connect(each.identifier, timeout: .seconds(30))
                }
            }
            try await group.waitForAll()
        }
    }
}
