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
        try await VirtualRadioStage.play { stage in
            if isPaired { await stage.radio.setPasskeyProvider { _ in nil } }
            _ = try await stage.radio.connect(to: RadioStage.device)
            try stage.on { $0.hold(.write, of: tx) }
            for value in [1, 2] as [UInt8] {
                let error = await failure { try await stage.radio.send(Data([value])) }
                // The time limit may pass while a task of the test waits for a thread.
                let expected: [BLEError] = [.operationTimeout, .notConnected]
                #expect((error as? BLEError).map(expected.contains) == true)
            }
            try await stage.wait(.seconds(20.2))
            #expect(stage.journal.count("autoReconnecting") == 1)
            #expect(stage.journal.count("gone") == 0)
            try stage.on { $0.release(.write, of: tx) }
            try await stage.wait(.seconds(10))
            #expect(stage.journal.count("back") == 1)
            try await stage.radio.send(Data([3]))
            #expect(stage.journal.count("gone") == 0)
        }
    }

    @Test("A write with a timeout above bluetoothd's fails with the link")
    func longLimit() async throws {
        try await VirtualRadioStage.play(
            .v5_86,
            simulatedRadio(),
            { $0.writeTimeout = .seconds(60) }
        ) {
            stage in
            await stage.radio.setPasskeyProvider { _ in nil }
            _ = try await stage.radio.connect(to: RadioStage.device)
            try stage.on { $0.hold(.write, of: tx) }
            let error = await failure { try await stage.radio.send(Data([1])) }
            #expect(error as? BLEError == .notConnected)
            #expect(stage.journal.count("autoReconnecting") == 1)
            try stage.on { $0.release(.write, of: tx) }
            try await stage.wait(.seconds(10))
            #expect(stage.journal.count("back") == 1)
            #expect(stage.journal.count("gone") == 0)
        }
    }

    @Test(
        "A radio that never responds to service discovery ends the connection with connectionTimeout",
        arguments: SimulatedKernel.allCases
    )
    func mute(kernel: SimulatedKernel) async throws {
        let device = simulatedRadio()
        device.answersDiscovery = false
        try await VirtualRadioStage.play(.v5_86, device, kernel: kernel) { stage in
            let begun = stage.world.clock.now
            let error = await failure { _ = try await stage.radio.connect(to: RadioStage.device) }
            #expect(error as? BLEError == .connectionTimeout)
            #expect(begun.duration(to: stage.world.clock.now) < .seconds(41))
            try await stage.wait { try !stage.isLinked() }
            try stage.on { $0.answersDiscovery = true }
            _ = try await stage.radio.connect(to: RadioStage.device)
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
        try await VirtualRadioStage.play(.v5_86, pin) { stage in
            let error = await failure { _ = try await stage.radio.connect(to: RadioStage.device) }
            guard case .pairingFailed(let reason) = error as? BLEError else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("provider"))
            #expect(await stage.radio.currentPhase == .idle)
        }
    }

    @Test(
        "A radio that refuses pairing and does not require it can be connected with a provider"
    )
    func refusesNeedlessPairing() async throws {
        let radio = simulatedRadio()
        radio.pairing = .refused
        try await VirtualRadioStage.play(.v5_86, radio) { stage in
            await stage.radio.setPasskeyProvider { _ in nil }
            for value in [1, 2] as [UInt8] {
                _ = try await stage.radio.connect(to: RadioStage.device)
                try await stage.radio.send(Data([value]))
                await stage.radio.disconnect()
            }
            // The radio was asked to pair only once, and ended that link.
            #expect(stage.journal.count("connecting") == 3)
            _ = try await stage.radio.connect(to: RadioStage.device)
            try stage.on { $0.dropLink() }
            try await stage.wait { stage.journal.count("back") == 1 }
            #expect(stage.journal.count("gone") == 0)
        }
    }
}
