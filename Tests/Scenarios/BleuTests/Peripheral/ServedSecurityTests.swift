import BluejaySimulator
import BluejayTesting
import Foundation
import Synchronization
import Testing

@testable import Bleu

@Suite("Encrypted calls", .timeLimit(.minutes(15)))
struct ServedSecurityTests {
    private static func playSealed(
        _ body: @escaping @Sendable (ServingStage) async throws -> Void
    ) async throws {
        try await ServingStage.play(.v5_86) {
            $0.encryption = .aesGCM
            $0.sessionCipher = CountingCipherProvider()
        } _: {
            try await body($0)
        }
    }

    private static func agree(_ caller: Caller) async throws {
        let call = try await caller.send(.hello, "echo", "key")
        #expect(Answer(try await caller.next("echo"), call) == Answer(.helloReply, "own"))
        caller.cipher = CountingCipher(key: 0x5A)
    }

    @Test("Calls and replies are sealed, and reads are not allowed")
    func sealed() async throws {
        try await Self.playSealed { stage in
            let caller = try await stage.caller()
            try await Self.agree(caller)
            #expect(try await caller.call("echo", "[1]") == Answer(.value, "[1]"))
            let frames = caller.central.values(of: Probe.uuid("echo"))
            #expect(frames.last?.suffix(3) != Array("[1]".utf8)[...])
            #expect(try await caller.call("value") == Answer(.value, "21.5"))
            await #expect(throws: CentralError.self) {
                try await caller.central.read(Probe.uuid("value"))
            }
        }
    }

    @Test("A call without a cipher is refused, and runs nothing")
    func unsealed() async throws {
        try await Self.playSealed { stage in
            let caller = try await stage.caller()
            #expect(try await caller.call("echo") == .refusal(.cipherRequired))
            caller.cipher = CountingCipher(key: 0x5A)
            #expect(try await caller.call("echo") == .refusal(.cipherRequired))
            #expect(stage.probe.count(of: "echo") == 0)
        }
    }

    @Test("A message with another key, a repeated one and an invalid key are refused")
    func wrongKey() async throws {
        try await Self.playSealed { stage in
            let caller = try await stage.caller()
            let hello = try await caller.send(.hello, "echo", "bad")
            #expect(Answer(try await caller.next("echo"), hello) == .refusal(.cipherFailed))
            try await Self.agree(caller)
            #expect(try await caller.call("echo") == Answer(.value, "[]"))
            caller.cipher = CountingCipher(key: 0x11)
            try await caller.send(.call, "echo")
            // The refusal is sealed with the peripheral's key and its next counter.
            caller.cipher = CountingCipher(key: 0x5A, received: 1)
            #expect(try await caller.next("echo").body == Data("\"cipherFailed\"".utf8))
            #expect(stage.probe.count(of: "echo") == 1)
        }
    }

    @Test(
        "A sealed call that is written to another method does not run",
        .encrypted,
        arguments: ServingStage.kinds
    )
    func otherMethod(kind: SimulatedBlueZVersion) async throws {
        try await ServingStage.play(kind) {
            $0.encryption = .aesGCM
            $0.sessionCipher = encryptedSessions
        } _: { stage in
            let caller = try await stage.caller()
            let keys = try #require(encryptedSessions).makeKeyAgreement()
            let hello = Message(
                kind: .hello,
                session: caller.session,
                call: 1,
                body: keys.publicKey
            )
            for frame in try caller.frames(of: hello, for: "echo") {
                try await caller.central.write([UInt8](frame), to: Probe.uuid("echo"))
            }
            let peerKey = try await caller.next("echo").body
            caller.cipher = try keys.makeCipher(peerKey: peerKey, isCentral: true)
            let body = Data("[]".utf8)
            let call = Message(kind: .call, session: caller.session, call: 2, body: body)
            for frame in try caller.frames(of: call, for: "echo") {
                try await caller.central.write([UInt8](frame), to: Probe.uuid("value"))
            }
            #expect(try await caller.next("value").kind == .refusal)
            #expect(stage.probe.allCalls.isEmpty)
            let next = Message(kind: .call, session: caller.session, call: 3, body: body)
            for frame in try caller.frames(of: next, for: "echo") {
                try await caller.central.write([UInt8](frame), to: Probe.uuid("echo"))
            }
            #expect(try await caller.next("echo").body == body)
            #expect(stage.probe.allCalls == ["echo"])
        }
    }

    @Test("Replies to two programs on one central have their own ciphers")
    func twoSessions() async throws {
        try await Self.playSealed { stage in
            let caller = try await stage.caller()
            let other = Caller(caller.central, session: 9, mtu: 517)
            try await Self.agree(caller)
            try await Self.agree(other)
            for _ in 0..<3 {
                #expect(try await caller.call("echo", "[1]") == Answer(.value, "[1]"))
                #expect(try await other.call("echo", "[2]") == Answer(.value, "[2]"))
            }
        }
    }

    @Test("Sealed messages of two characteristics keep their order")
    func order() async throws {
        try await Self.playSealed { stage in
            let caller = try await stage.caller()
            try await Self.agree(caller)
            let arrivals = Arrivals()
            try caller.central.perform { $0.onValue = { uuid, _ in arrivals.append(uuid) } }
            try await caller.send(.call, "large")
            let echo = try await caller.send(.call, "echo")
            #expect(try await caller.next("large").body.count == 90_002)
            #expect(Answer(try await caller.next("echo"), echo) == Answer(.value, "[]"))
            let first = arrivals.all.firstIndex { $0.uppercased() == Probe.uuid("echo") }
            #expect(first == arrivals.all.count - 1)
        }
    }

    @Test("The reply of a session whose cipher was dropped is not sent in plain text")
    func droppedCipher() async throws {
        try await Self.playSealed { stage in
            let caller = try await stage.caller()
            try await Self.agree(caller)
            try await caller.send(.call, "wait")
            for session in UInt16(1)...4 {
                try await Self.agree(Caller(caller.central, session: session, mtu: 517))
            }
            try await stage.wait(.seconds(10))
            #expect(stage.probe.count(of: "wait") == 1)
            #expect(caller.central.values(of: Probe.uuid("wait")).isEmpty)
        }
    }

    @Test("An actor that requires encryption is not served without a cipher")
    func missingCipher() async throws {
        await #expect(throws: BleuRegistrationError.missingCipher) {
            try await ServingStage.play(.v5_86) {
                $0.encryption = .aesGCM
            } _: { _ in
            }
        }
    }

    @Test("A hello to a peripheral without encryption is refused")
    func plain() async throws {
        try await ServingStage.play { stage in
            let caller = try await stage.caller(["echo"])
            let hello = try await caller.send(.hello, "echo", "key")
            #expect(Answer(try await caller.next("echo"), hello) == .refusal(.cipherFailed))
        }
    }

    @Test("With `link`, calls need a pairing with the passkey", arguments: ServingStage.kinds)
    func passkey(kind: SimulatedBlueZVersion) async throws {
        for isRight in [true, false] {
            try await ServingStage.play(kind) {
                $0.encryption = .link
                $0.passkeyProvider = { _ in isRight ? 123_456 : 111_111 }
            } _: { stage in
                let central = try stage.world.addCentral()
                try central.perform { $0.pairing = .passkey(123_456) }
                try await central.connect()
                try? await central.pair()
                let value = try? await central.read(Probe.uuid("value"))
                #expect((value != nil) == isRight)
                #expect(stage.probe.count(of: "value") == (isRight ? 1 : 0))
                guard isRight else { return }
                try await central.subscribe(to: Probe.uuid("echo"))
                let caller = Caller(central, session: 1, mtu: 517)
                #expect(try await caller.call("echo") == Answer(.value, "[]"))
            }
        }
    }

    @Test(
        "With a passkey provider, a central that pairs without a number can neither read nor call",
        arguments: ServingStage.kinds
    )
    func withoutNumber(kind: SimulatedBlueZVersion) async throws {
        // The agent of a desktop may agree to such a pairing; the bond is then the one of an earlier run, too.
        for desktopAgrees in [true, false] {
            let asked = SharedCount()
            try await ServingStage.play(kind) {
                $0.encryption = .link
                $0.passkeyProvider = { _ in
                    asked.increment()
                    return 123_456
                }
            } _: { stage in
                if desktopAgrees { try stage.world.perform { $0.userAgreesToPairing = true } }
                let central = try stage.world.addCentral()
                try await central.connect()
                try? await central.pair()
                #expect(try central.perform { $0.isPaired } == desktopAgrees)
                await #expect(throws: CentralError.self) {
                    try await central.read(Probe.uuid("value"))
                }
                await #expect(throws: CentralError.self) {
                    try await central.subscribe(to: Probe.uuid("echo"))
                }
                _ = try? await Caller(central, session: 1, mtu: 517).send(.call, "echo")
                await #expect(throws: CentralError.self) {
                    try await central.write([1], to: Probe.uuid("echo"))
                }
                try await stage.wait(.seconds(2))
                #expect(stage.probe.allCalls.isEmpty)
                #expect(asked.value == 0)
            }
        }
    }

    @Test("Without a passkey provider, only pairing without a passkey succeeds")
    func withoutProvider() async throws {
        let ways = [SimulatedPairing.justWorks, .passkey(1), .confirmation(1, isAgreed: true)]
        for way in ways {
            try await ServingStage.play(.v5_86) {
                $0.encryption = .link
            } _: { stage in
                let central = try stage.world.addCentral()
                try central.perform { $0.pairing = way }
                try await central.connect()
                try? await central.pair()
                let value = try? await central.read(Probe.uuid("value"))
                #expect((value != nil) == (way == .justWorks))
            }
        }
    }

    @Test("Pairing that replaces the address of a central keeps its calls")
    func address() async throws {
        try await ServingStage.play { stage in
            let caller = try await stage.caller(["wait"])
            try caller.central.perform { $0.setIdentity("00:11:22:33:44:55") }
            try stage.world.perform { $0.userAgreesToPairing = true }
            let call = try await caller.send(.call, "wait")
            try await caller.central.pair()
            #expect(Answer(try await caller.next("wait"), call) == Answer(.value, "6"))
            #expect(stage.probe.cancelledCalls.value == 0)
        }
    }
}

/// Records the characteristics of received values.
private final class Arrivals: Swift.Sendable {
    private let uuids = Mutex<[String]>([])

    var all: [String] { uuids.withLock { $0 } }

    func append(_ uuid: String) { uuids.withLock { $0.append(uuid) } }
}

/// A cipher that adds a counter and changes each byte; it keeps no secrets.
private struct CountingCipher: SessionCipher {
    struct Wrong: Error {}

    var key: UInt8
    var sent: UInt8 = 0
    var received: UInt8 = 0

    mutating func seal(_ message: Data, header: Data) throws -> Data {
        sent += 1
        return Data([sent, key]) + message.map { $0 ^ key }
    }

    mutating func open(_ sealed: Data, header: Data) throws -> Data {
        let bytes = [UInt8](sealed)
        guard bytes.count >= 2, bytes[0] > received, bytes[1] == key else { throw Wrong() }
        received = bytes[0]
        return Data(bytes.dropFirst(2).map { $0 ^ key })
    }
}

private struct CountingCipherProvider: SessionCipherProvider {
    struct Agreement: SessionKeyAgreement {
        let publicKey = Data("own".utf8)

        func makeCipher(peerKey: Data, isCentral: Bool) throws -> any SessionCipher {
            guard peerKey == Data("key".utf8), !isCentral else { throw CountingCipher.Wrong() }
            return CountingCipher(key: 0x5A)
        }
    }

    func makeKeyAgreement() -> any SessionKeyAgreement { Agreement() }
}
