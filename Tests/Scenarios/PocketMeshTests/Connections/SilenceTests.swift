import BluejayCore
import BluejaySimulator
import BluejayTesting
import Foundation
import Testing

@testable import PocketMesh

@Suite("A radio that stops responding", .timeLimit(.minutes(15)))
struct SilenceTests {
    @Test(
        "ATT 0x0e after 30 s is a timeout: a paired radio reconnects and keeps its pairing",
        arguments: [true, false]
    )
    func silent(isPaired: Bool) async throws {
        try await VirtualField.play { field in
            if isPaired { await field.radio.setPasskeyProvider { _ in nil } }
            _ = try await field.radio.connect(to: Field.device)
            try field.on { $0.hold(.write, of: tx) }
            for value in [1, 2] as [UInt8] {
                let error = await failure { try await field.radio.send(Data([value])) }
                // The time limit may pass while a task of the test waits for a thread.
                let expected: [BLEError] = [.operationTimeout, .notConnected]
                #expect((error as? BLEError).map(expected.contains) == true)
            }
            try await field.wait(.seconds(20.2))
            #expect(field.journal.count("autoReconnecting") == 1)
            #expect(field.journal.count("gone") == 0)
            try field.on { $0.release(.write, of: tx) }
            try await field.wait(.seconds(10))
            #expect(field.journal.count("back") == 1)
            try await field.radio.send(Data([3]))
            #expect(field.journal.count("gone") == 0)
        }
    }

    @Test("A write with a timeout above bluetoothd's fails with the link")
    func longLimit() async throws {
        try await VirtualField.play(.v5_86, simulatedRadio(), { $0.writeTimeout = .seconds(60) }) {
            field in
            await field.radio.setPasskeyProvider { _ in nil }
            _ = try await field.radio.connect(to: Field.device)
            try field.on { $0.hold(.write, of: tx) }
            let error = await failure { try await field.radio.send(Data([1])) }
            #expect(error as? BLEError == .notConnected)
            #expect(field.journal.count("autoReconnecting") == 1)
            try field.on { $0.release(.write, of: tx) }
            try await field.wait(.seconds(10))
            #expect(field.journal.count("back") == 1)
            #expect(field.journal.count("gone") == 0)
        }
    }

    @Test(
        "A radio that never responds to service discovery ends the connection with connectionTimeout",
        arguments: SimulatedKernel.allCases
    )
    func mute(kernel: SimulatedKernel) async throws {
        let device = simulatedRadio()
        device.answersDiscovery = false
        try await VirtualField.play(.v5_86, device, kernel: kernel) { field in
            let begun = field.world.clock.now
            let error = await failure { _ = try await field.radio.connect(to: Field.device) }
            #expect(error as? BLEError == .connectionTimeout)
            #expect(begun.duration(to: field.world.clock.now) < .seconds(41))
            try await field.wait { try !field.isLinked() }
            try field.on { $0.answersDiscovery = true }
            _ = try await field.radio.connect(to: Field.device)
        }
    }

    @Test(
        "A failure counts as a timeout only after a request of 30 s, and then for each later request"
    )
    func requests() {
        var requests = UnansweredRequests()
        requests.started(1, now: .seconds(1))
        requests.ended(1, attributeCode: 0x0E, now: .seconds(20))
        #expect(!requests.hasTimedOut)
        requests.started(2, now: .seconds(21))
        requests.started(3, now: .seconds(45))
        #expect(!requests.isOverdue(now: .seconds(49)))
        #expect(requests.isOverdue(now: .seconds(51)))
        requests.ended(3, attributeCode: 0x0E, now: .seconds(51))
        #expect(requests.hasTimedOut)
        var other = UnansweredRequests()
        other.started(1, now: .zero)
        other.ended(1, attributeCode: 0x05, now: .seconds(30))
        #expect(!other.hasTimedOut)
    }

    @Test("A radio with a PIN fails as a pairing failure without a provider and an agent")
    func nobodyAnswers() async throws {
        let pin = simulatedRadio(
            flags: (["encrypt-authenticated-write"], ["encrypt-authenticated-notify"])
        )
        pin.pairing = .passkey(123_456)
        try await VirtualField.play(.v5_86, pin) { field in
            let error = await failure { _ = try await field.radio.connect(to: Field.device) }
            guard case .pairingFailed(let reason) = error as? BLEError else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("provider"))
            #expect(await field.radio.currentPhase == .idle)
        }
    }

    @Test(
        "A radio that refuses pairing and does not require it can be connected with a provider"
    )
    func refusesNeedlessPairing() async throws {
        let radio = simulatedRadio()
        radio.pairing = .refused
        try await VirtualField.play(.v5_86, radio) { field in
            await field.radio.setPasskeyProvider { _ in nil }
            for value in [1, 2] as [UInt8] {
                _ = try await field.radio.connect(to: Field.device)
                try await field.radio.send(Data([value]))
                await field.radio.disconnect()
            }
            // The radio was asked to pair only once, and ended that link.
            #expect(field.journal.count("connecting") == 3)
            _ = try await field.radio.connect(to: Field.device)
            try field.on { $0.dropLink() }
            try await field.wait { field.journal.count("back") == 1 }
            #expect(field.journal.count("gone") == 0)
        }
    }
}
