import BluejaySimulator
import BluejayTesting
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import PocketMesh

@Suite("A radio that requires pairing", .timeLimit(.minutes(15)))
struct PairingTests {
    private static func radio(_ pairing: SimulatedPairing) -> SimulatedDevice {
        let device = simulatedRadio(
            flags: (["encrypt-authenticated-write"], ["encrypt-authenticated-notify"])
        )
        device.pairing = pairing
        return device
    }

    @Test(
        "The passkey provider is called for the first connection only, and values are exchanged"
    )
    func right() async throws {
        try await RadioStage.play(.v5_86, { _, _ in }, Self.radio(.passkey(123_456))) { stage in
            let journal = stage.journal
            await stage.radio.setPasskeyProvider { device in
                journal.note("asked \(device == RadioStage.device)")
                return 123_456
            }
            _ = try await stage.radio.connect(to: RadioStage.device)
            #expect(journal.count("asked true") == 1)
            try await stage.radio.send(Data([1]))
            #expect(await stage.written() == [[1]])
            await stage.on { $0.dropLink() }
            try await journal.wait(for: "back")
            await stage.radio.disconnect()
            _ = try await stage.radio.connect(to: RadioStage.device)
            #expect(journal.count("asked") == 1)
        }
    }

    enum Answer: CaseIterable {
        case wrong, none, refusedByRadio
    }

    @Test(
        "Without the right passkey the connection fails and the link is released",
        arguments: Answer.allCases
    )
    func wrong(answer: Answer) async throws {
        let pairing: SimulatedPairing = answer == .refusedByRadio ? .refused : .passkey(123_456)
        try await RadioStage.play(.v5_86, { _, _ in }, Self.radio(pairing)) { stage in
            await stage.radio.setPasskeyProvider { _ in answer == .wrong ? 1 : nil }
            let error = await failure { _ = try await stage.radio.connect(to: RadioStage.device) }
            let expected = answer == .none ? "pairingCancelled" : "pairingFailed"
            #expect((error as? BLEError).map(caseName) == expected, "\(String(describing: error))")
            #expect(await stage.radio.currentPhase == .idle)
            try await wait { await !stage.isLinked() }
            #expect(stage.journal.count("gone") == 0)
        }
    }

    @Test("A slow passkey provider is awaited until the timeout")
    func slow() async throws {
        try await RadioStage.play(
            .v5_86,
            { settings, options in
                settings.serviceDiscoveryTimeout = .seconds(3)
                options.timeScale = 1
            },
            Self.radio(.passkey(123_456))
        ) { stage in
            let journal = stage.journal
            await stage.radio.setPasskeyProvider { _ in
                journal.note("asked")
                // The first request simulates a user who takes too long to find the passkey.
                let isLong = journal.count("asked") == 1
                try? await Task.sleep(for: isLong ? .seconds(60) : .milliseconds(200))
                journal.note(Task.isCancelled ? "left alone" : "answered")
                return 123_456
            }
            let error = await failure { _ = try await stage.radio.connect(to: RadioStage.device) }
            #expect(error as? BLEError == .connectionTimeout)
            try await journal.wait(for: "left alone")
            try await wait { await !stage.isLinked() }
            _ = try await stage.radio.connect(to: RadioStage.device)
            #expect(journal.count("answered") == 1)
        }
    }

    @Test("Pairing with a displayed number succeeds only if the provider returns the same number")
    func confirmed() async throws {
        for (number, isRight) in [(UInt32(5), false), (4_711, true)] {
            let radio = Self.radio(.confirmation(4_711, isAgreed: true))
            try await RadioStage.play(.v5_86, { _, _ in }, radio) { stage in
                await stage.radio.setPasskeyProvider { _ in number }
                let error = await failure {
                    _ = try await stage.radio.connect(to: RadioStage.device)
                }
                #expect((error as? BLEError).map(caseName) == (isRight ? nil : "pairingFailed"))
            }
        }
    }

    @Test("A radio without pairing can be connected with a provider, too")
    func needless() async throws {
        try await RadioStage.play { stage in
            await stage.radio.setPasskeyProvider { _ in nil }
            _ = try await stage.radio.connect(to: RadioStage.device)
            try await stage.radio.send(Data([1]))
        }
    }

    @Test("Without a provider the connect fails as a pairing failure")
    func nobody() async throws {
        try await VirtualRadioStage.play(.v5_86, Self.radio(.passkey(1))) { stage in
            try stage.world.perform { $0.userAgreesToPairing = false }
            let error = await failure { _ = try await stage.radio.connect(to: RadioStage.device) }
            #expect((error as? BLEError).map(caseName) == "pairingFailed")
            #expect(await stage.radio.currentPhase == .idle)
            try await stage.wait { try !stage.isLinked() }
        }
    }

    @Test(
        "A value refused for missing pairing ends the connection with a pairing failure",
        arguments: [0x05, 0x08, 0x0F] as [UInt8]
    )
    func refusedValue(code: UInt8) async throws {
        try await RadioStage.play { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            await stage.on { $0.setBehavior(.refuses(code), of: tx) }
            let error = await failure { try await stage.radio.send(Data([1])) }
            #expect((error as? BLEError).map(caseName) == "pairingFailed")
            try await stage.journal.wait(for: "gone pairingFailed")
            #expect(await stage.radio.currentPhase == .idle)
            #expect(stage.journal.count("lost") == 0)
            try await wait { await !stage.isLinked() }
        }
    }

    @Test(
        "BlueZ does not distinguish the codes 5 and 15, and the reason names both",
        .pitfall(.attributeErrorsAreTexts)
    )
    func sameCodes() async throws {
        var texts: [String] = []
        for code in [0x05, 0x0F] as [UInt8] {
            try await RadioStage.play { stage in
                _ = try await stage.radio.connect(to: RadioStage.device)
                await stage.on { $0.setBehavior(.refuses(code), of: tx) }
                let error = await failure { try await stage.radio.send(Data([1])) }
                texts.append("\(String(describing: error))")
            }
        }
        #expect(texts[0] == texts[1])
        #expect(texts[0].contains("0x05 or 0x0f"))
    }

    @Test("Code 14 is a pairing failure only on the link of a paired radio")
    func unlikely() async throws {
        try await RadioStage.play { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            await stage.on { $0.setBehavior(.refuses(0x0E), of: tx) }
            let error = await failure { try await stage.radio.send(Data([1])) }
            #expect((error as? BLEError).map(caseName) == "writeError")
            #expect(await stage.radio.isConnected)
        }
        try await RadioStage.play { stage in
            await stage.radio.setPasskeyProvider { _ in nil }
            _ = try await stage.radio.connect(to: RadioStage.device)
            await stage.on { $0.setBehavior(.refuses(0x0E), of: tx) }
            let error = await failure { try await stage.radio.send(Data([1])) }
            #expect((error as? BLEError).map(caseName) == "pairingFailed")
            try await stage.journal.wait(for: "gone pairingFailed")
            try await wait { await !stage.isLinked() }
        }
        try await RadioStage.play { stage in
            await stage.radio.setPasskeyProvider { _ in nil }
            _ = try await stage.radio.connect(to: RadioStage.device)
            await stage.on { $0.setBehavior(.disconnects, of: tx) }
            let error = await failure { try await stage.radio.send(Data([1])) }
            #expect(error as? BLEError == .notConnected)
            try await stage.journal.wait(for: "back")
            #expect(stage.journal.count("gone") == 0)
        }
    }

    @Test("Code 14 shortly before a lost link counts as the loss of the link")
    func lostBehindCode() async throws {
        try await RadioStage.play(
            .v5_86,
            { settings, _ in settings.linkLossSettleTime = .seconds(3) },
            holds: true
        ) { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            await stage.on { $0.hold(.write, of: tx) }
            let call = await stage.sendAll([[1]])[0]
            try await wait { await stage.heldCount(.write, of: tx) == 1 }
            await stage.on { $0.release(.write, of: tx, refusingWith: 0x0E) }
            // The answer has arrived but is not reported yet.
            try await wait { await stage.radio.isJudging }
            await stage.on { $0.dropLink() }
            let error = await failure { try await call.value }
            #expect(error as? BLEError == .notConnected)
            try await stage.journal.wait(for: "back")
            #expect(stage.journal.count("gone") == 0)
        }
    }

    @Test(
        "An address that changes by pairing is reported as the new identifier of the radio",
        .pitfall(.addressChangesByPairing, .pairingChangesObjects)
    )
    func identity() async throws {
        let device = simulatedRadio(address: "4A:00:00:00:00:01")
        device.setIdentity("00:11:22:33:44:55")
        try await RadioStage.play(.v5_86, { _, _ in }, device) { stage in
            await stage.radio.setPasskeyProvider { _ in nil }
            _ = try await stage.radio.connect(to: RadioStage.id(of: "4A:00:00:00:00:01"))
            let known = await stage.radio.connectedDeviceID
            #expect(known != RadioStage.id(of: "4A:00:00:00:00:01"))
            #expect(try stage.remembered() == known)
            try await stage.radio.send(Data([1]))
            await stage.radio.disconnect()
            _ = try await stage.radio.connect(to: try #require(known))
        }
    }
}

extension BLEStateMachine {
    /// Whether the meaning of a received answer is still undecided.
    fileprivate var isJudging: Bool { link.isCheckingFailure }
}
