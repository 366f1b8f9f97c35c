import Bluejay
import BluejayAsync
import BluejaySimulator
import Foundation
import TestSupport

/// One client from start to end, with values and a name that must not appear in any line.
struct Session {
    static let secret = Array("hunter2!".utf8)
    /// Possible renderings of those bytes.
    static let traces = ["hunter2", "68756e74", "68 75 6e", "104, 117"]
    static let name = "\u{1B}[2J\nError: forged\u{202E}"
    static let address = "C0:00:00:00:00:01"

    static let service = ServiceIdentifier(uuid: "180D")
    static let measurement = CharacteristicIdentifier(uuid: "2A37", service: service)
    static let location = CharacteristicIdentifier(uuid: "2A38", service: service)
    static let control = CharacteristicIdentifier(uuid: "2A39", service: service)
    static let missing = CharacteristicIdentifier(uuid: "2A3A", service: service)

    /// A simulated BlueZ with the gadget and a tenth of the usual waits.
    static func world() async throws -> SimulatedSystem {
        var options = SimulatorOptions()
        options.timeScale = 0.1
        options.adapters = 1
        let system = try await SimulatedSystem.start(options)
        await system.perform { world in
            let gadget = SimulatedDevice(address: address, name: name, advertising: ["180D"])
            gadget.addService(
                "180D",
                [
                    ScriptedCharacteristic("2A37", ["notify"], .value([])),
                    ScriptedCharacteristic("2A38", ["read"], .value(secret)),
                    ScriptedCharacteristic("2A39", ["write"], .value([0])),
                ]
            )
            world.add(gadget)
        }
        return system
    }

    /// Scans, connects, reads, writes, listens, requests a missing characteristic, disconnects.
    static func play(_ bluejay: Bluejay, _ system: SimulatedSystem) async throws {
        await bluejay.start()
        try await bluejay.waitUntilReady()
        try await connect(bluejay)
        let read: Data = try await bluejay.read(from: location)
        try await bluejay.write(to: control, value: read)
        let values = bluejay.values(of: measurement, as: Data.self)
        let taking = Task { try await values.first { _ in true } }
        // The read waits in the queue until the listen is set up.
        _ = try await bluejay.read(from: location) as Data
        await system.perform { $0.device(address)?.send(secret, on: "2A37") }
        _ = try await taking.value
        _ = try? await bluejay.read(from: missing) as Data
        try await bluejay.disconnect()
    }

    private static func connect(_ bluejay: Bluejay) async throws {
        for try await discovery in bluejay.scan(serviceIdentifiers: [service]) {
            try await bluejay.connect(discovery.peripheralIdentifier, timeout: 10)
            return
        }
    }
}
