import BluejaySimulator
import BluejayTesting
import Foundation
import TestSupport
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
        try await Field.play(.v5_86, { _, _ in }, Self.radio(.passkey(123_456))) { field in
            let journal = field.journal
            await field.radio.setPasskeyProvider { device in
                journal.note("asked \(device == Field.device)")
                return 123_456
            }
            _ = try await field.radio.connect(to: Field.device)
            #expect(journal.count("asked true") == 1)
            try await field.radio.send(Data([1]))
            #expect(await field.written() == [[1]])
            await field.on { $0.dropLink() }
            try await journal.wait(for: "back")
            await field.radio.disconnect()
            _ = try await field.radio.connect(to: Field.device)
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
        try await Field.play(.v5_86, { _, _ in }, Self.radio(pairing)) { field in
            await field.radio.setPasskeyProvider { _ in answer == .wrong ? 1 : nil }
            let error = await failure { _ = try await field.radio.connect(to: Field.device) }
            let expected = answer == .none ? "pairingCancelled" : "pairingFailed"
            #expect((error as? BLEError).map(caseName) == expected, "\(String(describing: error))")
            #expect(await field.radio.currentPhase == .idle)
            try await wait { await !field.isLinked() }
            #expect(field.journal.count("gone") == 0)
        }
    }

    @Test("A slow passkey provider is awaited until the timeout")
    func slow() async throws {
        try await Field.play(
            .v5_86,
            { settings, options in
                settings.serviceDiscoveryTimeout = .seconds(3)
                options.timeScale = 1
            },
            Self.radio(.passkey(123_456))
        ) { field in
            let journal = field.journal
            await field.radio.setPasskeyProvider { _ in
                journal.note("asked")
                // The first request simulates a user who takes too long to find the passkey.
                let isLong = journal.count("asked") == 1
                try? await Task.sleep(for: isLong ? .seconds(60) : .milliseconds(200))
                journal.note(Task.isCancelled ? "left alone" : "answered")
                return 123_456
            }
            let error = await failure { _ = try await field.radio.connect(to: Field.device) }
            #expect(error as? BLEError == .connectionTimeout)
            try await journal.wait(for: "left alone")
            try await wait { await !field.isLinked() }
            _ = try await field.radio.connect(to: Field.device)
            #expect(journal.count("answered") == 1)
        }
    }

    @Test("Pairing with a displayed number succeeds only if the provider returns the same number")
    func confirmed() async throws {
        for (number, isRight) in [(UInt32(5), false), (4_711, true)] {
            let radio = Self.radio(.confirmation(4_711, isAgreed: true))
            try await Field.play(.v5_86, { _, _ in }, radio) { field in
                await field.radio.setPasskeyProvider { _ in number }
                let error = await failure { _ = try await field.radio.connect(to: Field.device) }
                #expect((error as? BLEError).map(caseName) == (isRight ? nil : "pairingFailed"))
            }
        }
    }

    @Test("A radio without pairing can be connected with a provider, too")
    func needless() async throws {
        try await Field.play { field in
            await field.radio.setPasskeyProvider { _ in nil }
            _ = try await field.radio.connect(to: Field.device)
            try await field.radio.send(Data([1]))
        }
    }

    @Test("Without a provider the connect fails as a pairing failure")
    func nobody() async throws {
        try await VirtualField.play(.v5_86, Self.radio(.passkey(1))) { field in
            try field.world.perform { $0.userAgreesToPairing = false }
            let error = await failure { _ = try await field.radio.connect(to: Field.device) }
            #expect((error as? BLEError).map(caseName) == "pairingFailed")
            #expect(await field.radio.currentPhase == .idle)
            try await field.wait { try !field.isLinked() }
        }
    }

    @Test(
        "A value refused for missing pairing ends the connection with a pairing failure",
        arguments: [0x05, 0x08, 0x0F] as [UInt8]
    )
    func refusedValue(code: UInt8) async throws {
        try await Field.play { field in
            _ = try await field.radio.connect(to: Field.device)
            await field.on { $0.setBehavior(.refuses(code), of: tx) }
            let error = await failure { try await field.radio.send(Data([1])) }
            #expect((error as? BLEError).map(caseName) == "pairingFailed")
            try await field.journal.wait(for: "gone pairingFailed")
            #expect(await field.radio.currentPhase == .idle)
            #expect(field.journal.count("lost") == 0)
            try await wait { await !field.isLinked() }
        }
    }

    @Test("BlueZ does not distinguish the codes 5 and 15, and the reason names both")
    func sameCodes() async throws {
        var texts: [String] = []
        for code in [0x05, 0x0F] as [UInt8] {
            try await Field.play { field in
                _ = try await field.radio.connect(to: Field.device)
                await field.on { $0.setBehavior(.refuses(code), of: tx) }
                let error = await failure { try await field.radio.send(Data([1])) }
                texts.append("\(String(describing: error))")
            }
        }
        #expect(texts[0] == texts[1])
        #expect(texts[0].contains("0x05 or 0x0f"))
    }

    @Test("Code 14 is a pairing failure only on the link of a paired radio")
    func unlikely() async throws {
        try await Field.play { field in
            _ = try await field.radio.connect(to: Field.device)
            await field.on { $0.setBehavior(.refuses(0x0E), of: tx) }
            let error = await failure { try await field.radio.send(Data([1])) }
            #expect((error as? BLEError).map(caseName) == "writeError")
            #expect(await field.radio.isConnected)
        }
        try await Field.play { field in
            await field.radio.setPasskeyProvider { _ in nil }
            _ = try await field.radio.connect(to: Field.device)
            await field.on { $0.setBehavior(.refuses(0x0E), of: tx) }
            let error = await failure { try await field.radio.send(Data([1])) }
            #expect((error as? BLEError).map(caseName) == "pairingFailed")
            try await field.journal.wait(for: "gone pairingFailed")
            try await wait { await !field.isLinked() }
        }
        try await Field.play { field in
            await field.radio.setPasskeyProvider { _ in nil }
            _ = try await field.radio.connect(to: Field.device)
            await field.on { $0.setBehavior(.disconnects, of: tx) }
            let error = await failure { try await field.radio.send(Data([1])) }
            #expect(error as? BLEError == .notConnected)
            try await field.journal.wait(for: "back")
            #expect(field.journal.count("gone") == 0)
        }
    }

    @Test("Code 14 shortly before a lost link counts as the loss of the link")
    func lostBehindCode() async throws {
        try await Field.play(
            .v5_86,
            { settings, _ in settings.linkLossSettleTime = .seconds(3) },
            holds: true
        ) { field in
            _ = try await field.radio.connect(to: Field.device)
            await field.on { $0.hold(.write, of: tx) }
            let call = await field.sendAll([[1]])[0]
            try await wait { await field.heldCount(.write, of: tx) == 1 }
            await field.on { $0.release(.write, of: tx, refusingWith: 0x0E) }
            // The answer has arrived but is not reported yet.
            try await wait { await field.radio.isJudging }
            await field.on { $0.dropLink() }
            let error = await failure { try await call.value }
            #expect(error as? BLEError == .notConnected)
            try await field.journal.wait(for: "back")
            #expect(field.journal.count("gone") == 0)
        }
    }

    @Test("An address that changes by pairing is reported as the new identifier of the radio")
    func identity() async throws {
        let device = simulatedRadio(address: "4A:00:00:00:00:01")
        device.setIdentity("00:11:22:33:44:55")
        try await Field.play(.v5_86, { _, _ in }, device) { field in
            await field.radio.setPasskeyProvider { _ in nil }
            _ = try await field.radio.connect(to: Field.id(of: "4A:00:00:00:00:01"))
            let known = await field.radio.connectedDeviceID
            #expect(known != Field.id(of: "4A:00:00:00:00:01"))
            #expect(try field.remembered() == known)
            try await field.radio.send(Data([1]))
            await field.radio.disconnect()
            _ = try await field.radio.connect(to: try #require(known))
        }
    }
}

extension BLEStateMachine {
    /// Whether the meaning of a received answer is still undecided.
    fileprivate var isJudging: Bool { link.isCheckingFailure }
}
