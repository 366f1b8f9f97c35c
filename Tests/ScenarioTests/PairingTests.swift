import Bluejay
import BluejaySimulator
import Foundation
import Testing

@Suite("Characteristics that want an encrypted link", .timeLimit(.minutes(2)))
struct PairingTests {
    private let secret = PeripheralScript.gadget([
        ScriptedCharacteristic("2A38", ["encrypt-read"], .value([7])),
        ScriptedCharacteristic("2A39", ["read"], .value([1])),
    ])

    @Test("With an agent that agrees, the read pairs by itself and gives the value")
    func agent() async throws {
        try await onStage { scene in
            try await scene.agreeToPairing()
            let connected = try await scene.connected(to: secret)
            let central = connected.central
            #expect(try await central.value(of: location, as: UInt8.self) == 7)
            #expect(try await central.value(of: location, as: UInt8.self) == 7)
            try await central.disconnect()
            // The bond is kept: the next link is encrypted from its beginning.
            try await central.connect(connected.identifier)
            #expect(try await central.value(of: location, as: UInt8.self) == 7)
        }
    }

    @Test("Without an agent the read fails, and the peripheral can be used again")
    func noAgent() async throws {
        try await onStage { scene in
            let connected = try await scene.connected(to: secret)
            let central = connected.central
            #expect(try await central.value(of: controlPoint, as: UInt8.self) == 1)
            await #expect(throws: BluejayError.self) {
                try await central.value(of: location, as: UInt8.self)
            }
            await central.wait(for: "disconnected Gadget")
            try await central.connect(connected.identifier)
            #expect(try await central.value(of: controlPoint, as: UInt8.self) == 1)
        }
    }

    @Test("A peripheral that refuses to pair fails the read")
    func refused() async throws {
        try await onStage { scene in
            try await scene.agreeToPairing()
            let connected = try await scene.connected(to: secret)
            let central = connected.central
            try await connected.peripheral.setPairing(false)
            await #expect(throws: BluejayError.notPaired) {
                try await central.value(of: location, as: UInt8.self)
            }
        }
    }
}
