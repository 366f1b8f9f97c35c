import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestTraits
import Testing

@Suite("Characteristics that require encryption", .timeLimit(.minutes(15)))
struct PairingTests {
    private let secret = PeripheralScript.gadget([
        ScriptedCharacteristic("2A38", ["encrypt-read"], .value([7])),
        ScriptedCharacteristic("2A39", ["read"], .value([1])),
    ])

    @Test(
        "With an agent that accepts, the read pairs implicitly and returns the value",
        .pitfall(.readStartsPairing)
    )
    func agent() async throws {
        try await withTestbed(isRecorded: false) { context in
            try await context.agreeToPairing()
            let connected = try await context.connected(to: secret)
            let central = connected.central
            // Seen in HCI traces of bluetoothd 5.66 on Linux 6.1: if the emulated controllers encrypt before
            // bluetoothd repeats the request, it never does, and times out after 30 s.
            try await withKnownIssue(isIntermittent: true) { () async throws in
                let value = try await central.value(of: location, as: UInt8.self)
                #expect(value == 7)
            } when: {
                isRealBlueZ
            } matching: { issue in
                issue.error.map { "\($0)".lowercased().contains("0x0e") } ?? false
            }
        }
    }

    @Test("After pairing by another program, the value can be read, also after a reconnection")
    func pairedBefore() async throws {
        try await withTestbed { context in
            let agent = try await context.agreeToPairing()
            let connected = try await context.connected(to: secret)
            let central = connected.central
            try await agent.pair("/org/bluez/hci0/dev_C0_00_00_00_00_01")
            #expect(try await central.value(of: location, as: UInt8.self) == 7)
            try await central.disconnect()
            // The bond is kept, so the next link is encrypted from the start.
            try await central.connect(connected.identifier)
            #expect(try await central.value(of: location, as: UInt8.self) == 7)
        }
    }

    @Test("Without an agent the read fails, and the peripheral remains usable", .pitfall(.noAgent))
    func noAgent() async throws {
        // From 5.82 on, bluetoothd neither replies nor ends the link.
        let endsLink = !isRealBlueZ || blueZVersion == "5.66"
        try await withTestbed(isRecorded: blueZVersion == "5.66") { context in
            let connected = try await context.connected(to: secret)
            let central = connected.central
            #expect(try await central.value(of: controlPoint, as: UInt8.self) == 1)
            await #expect(throws: BluejayError.self) {
                try await central.value(of: location, as: UInt8.self)
            }
            if endsLink {
                await central.wait(for: "disconnected Gadget")
            } else {
                try await central.disconnect()
            }
            try await central.connect(connected.identifier)
            #expect(try await central.value(of: controlPoint, as: UInt8.self) == 1)
        }
    }

    @Test("If the peripheral rejects pairing, the link is lost and the read fails")
    func refused() async throws {
        try await withTestbed { context in
            try await context.agreeToPairing()
            let connected = try await context.connected(to: secret)
            let central = connected.central
            try await connected.peripheral.setPairing(false)
            await #expect(throws: BluejayError.notConnected) {
                try await central.value(of: location, as: UInt8.self)
            }
            await central.wait(for: "disconnected Gadget")
        }
    }
}
