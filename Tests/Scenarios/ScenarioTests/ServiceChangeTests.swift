import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestTraits
import Testing

/// Tests `LinkServices`.
@Suite("Service changes during a connection", .timeLimit(.minutes(15)))
struct ServiceChangeTests {
    private let battery = ServiceIdentifier(uuid: "FFE0")
    private var level: CharacteristicIdentifier {
        CharacteristicIdentifier(uuid: "FFE1", service: battery)
    }
    private let added = PeripheralScript.Service(
        "FFE0",
        [ScriptedCharacteristic("FFE1", ["read"], .value([42]))]
    )

    @Test(
        "An added service becomes usable, and a removed one is reported as missing",
        .pitfall(.servicesChange)
    )
    func addedAndRemoved() async throws {
        try await withTestbed { context in
            let connected = try await context.connected(to: .heartRateSensor())
            let central = connected.central
            await #expect(throws: BluejayError.missingService(battery)) {
                try await central.value(of: level, as: UInt8.self)
            }
            try await connected.peripheral.addService(added)
            await central.wait(for: "services changed")
            #expect(try await central.value(of: level, as: UInt8.self) == 42)
            try await connected.peripheral.removeService("FFE0")
            await central.wait(for: "services changed -FFE0")
            await #expect(throws: BluejayError.missingService(battery)) {
                try await central.value(of: level, as: UInt8.self)
            }
            #expect(try await central.value(of: location, as: UInt8.self) == 1)
        }
    }
}
