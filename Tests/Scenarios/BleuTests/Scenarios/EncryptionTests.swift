import BluejayCore
import BluejaySimulator
import BluejayTesting
import Distributed
import Foundation
import Testing

@testable import Bleu

@Suite("Encryption between systems", .timeLimit(.minutes(15)))
struct EncryptionTests {
    private static var sealed: BleuConfiguration {
        var configuration = BleuConfiguration()
        configuration.encryption = .aesGCM
        configuration.sessionCipher = encryptedSessions
        configuration.errorTypes = [SensorError.self]
        return configuration
    }

    private static func linked(
        passkey: (@Sendable (UUID) async -> UInt32?)? = nil
    ) -> BleuConfiguration {
        var configuration = BleuConfiguration()
        configuration.encryption = .link
        configuration.passkeyProvider = passkey
        return configuration
    }

    @Test("All forms of calls and streams work with aesGCM", .encrypted, arguments: kinds)
    func forms(kind: SimulatedBlueZVersion) async throws {
        try await BleuStage.play(kind) { stage in
            let (_, proxy) = try await stage.connectedSensor(Self.sealed, Self.sealed)
            #expect(try await proxy.readTemperature() == 21.5)
            try await proxy.calibrate(offset: 1)
            #expect(try await proxy.reading(unit: "K") == SensorReading(value: 22.5, unit: "K"))
            try await proxy.note("a")
            try await proxy.note("b")
            #expect(try await proxy.allLines() == ["a", "b"])
            #expect(try await proxy.longText().count == 3000)
            await #expect(throws: SensorError(code: 7)) { try await proxy.failKnown() }
            let data = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* $0) })
            #expect(try await proxy.echo(data) == data)
            var received: [Int] = []
            for await number in try await proxy.count(to: 100) { received.append(number) }
            #expect(received == Array(1...100))
            await #expect(throws: SensorError(code: 3)) {
                for try await _ in try await proxy.countAndFail(after: 3) {}
            }
        }
    }

    @Test(
        "With aesGCM no text of a call is notified, and no characteristic is readable",
        .encrypted
    )
    func secrecy() async throws {
        for configuration in [Self.sealed, BleuConfiguration()] {
            try await BleuStage.play(.v5_66) { stage in
                let (_, proxy) = try await stage.connectedSensor(configuration, configuration)
                let mapped = ["reading", "readTemperature"].map {
                    ServiceMapper.characteristicUUID(for: $0, in: RoomSensor.self).uuidString
                }
                // This bluetoothd notifies all subscribers.
                let spy = try stage.world.addCentral()
                try await spy.connect()
                try await spy.subscribe(to: mapped[0])
                let unit = "a secret of the thermometer"
                #expect(try await proxy.reading(unit: unit).unit == unit)
                let frames = try await spy.next(of: mapped[0])
                let isSealed = configuration.encryption == .aesGCM
                let text = String(decoding: frames.joined(), as: UTF8.self)
                #expect(text.contains("secret") != isSealed)
                let value = try? await spy.read(mapped[1])
                #expect((value == nil) == isSealed)
            }
        }
    }

    @Test("A peripheral that does not agree on a key receives no call", .encrypted)
    func strangerPeripheral() async throws {
        try await BleuStage.play { stage in
            let stranger = try await Stranger.serving(in: stage)
            let system = stage.system(1, Self.sealed)
            let proxy = try await system.connect(to: adapterID(0), as: RoomSensor.self)
            let scripts: [(expected: String, script: Stranger.Script)] = [
                ("connectionTimeout", { _ in [] }),
                ("invalidData", { $0.answer(.helloReply, "short") }),
                ("invalidData", { $0.answer(.value, "1") }),
                ("invalidData", { $0.answer(.refusal, "\"cipherFailed\"") }),
                ("invalidData", { $0.answer(.helloReply).map { $0.dropLast() + [0xFF] } }),
                ("connectionFailed", { $0.answer(.refusal, "\"sessionInUse\"") }),
                (
                    "incompatibleVersion(detected: 2, required: 1)",
                    { $0.answer(.helloReply, "key").map { [0x2F] + $0.dropFirst() } }
                ),
            ]
            for (expected, script) in scripts {
                await stranger.answer(script)
                do {
                    _ = try await proxy.reading(unit: "K")
                    Issue.record("a call without a key has ended")
                } catch {
                    #expect(BleuError.caseName(error) == expected)
                }
                let kinds = await Set(stranger.messages.map(\.kind))
                #expect(kinds.isSubset(of: [.hello, .cancel]), "\(expected)")
            }
        }
    }

    @Test(
        "A program whose cipher the peripheral has dropped agrees on another one at its next call",
        .encrypted
    )
    func droppedCipher() async throws {
        try await BleuStage.play { stage in
            let server = stage.system(0, Self.sealed)
            try await server.startAdvertising(RoomSensor(actorSystem: server))
            // A peripheral keeps the ciphers of four programs on one central.
            var proxies: [RoomSensor] = []
            for _ in 0..<5 {
                let system = stage.system(1, Self.sealed)
                let proxy = try await system.connect(to: adapterID(0), as: RoomSensor.self)
                #expect(try await proxy.reading(unit: "K").unit == "K")
                proxies.append(proxy)
            }
            await #expect(throws: BleuError.self) { try await proxies[0].reading(unit: "K") }
            for _ in 0..<3 { #expect(try await proxies[0].reading(unit: "K").unit == "K") }
        }
    }

    @Test(
        "A plain caller of an encrypted peripheral receives an error, and so does the reverse",
        .encrypted
    )
    func oneSide() async throws {
        for (server, client) in [
            (Self.sealed, BleuConfiguration()), (BleuConfiguration(), Self.sealed),
        ] {
            try await BleuStage.play { stage in
                let (parts, proxy) = try await stage.connectedSensor(server, client)
                for _ in 0..<2 {
                    await #expect(throws: BleuError.self) { try await proxy.endless() }
                    await #expect(throws: BleuError.self) { try await proxy.readTemperature() }
                    await #expect(throws: BleuError.self) { try await proxy.reading(unit: "K") }
                }
                #expect(parts.produced.value == 0)
            }
        }
    }

    @Test(
        "Each of two centrals has its own cipher, also where bluetoothd notifies all",
        .encrypted,
        arguments: kinds
    )
    func twoCentrals(kind: SimulatedBlueZVersion) async throws {
        try await BleuStage.play(kind, adapters: 3) { stage in
            let sensor = RoomSensor(actorSystem: stage.system(0, Self.sealed))
            try await sensor.actorSystem.startAdvertising(sensor)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for central in 1...2 {
                    group.addTask {
                        let system = stage.system(central, Self.sealed)
                        let proxy = try await system.connect(
                            to: adapterID(0),
                            as: RoomSensor.self
                        )
                        for number in 0..<10 {
                            let unit = String(repeating: "\(central)", count: 40 + number)
                            let reading = try await proxy.reading(unit: unit)
                            #expect(reading == SensorReading(value: 21.5, unit: unit))
                            #expect(try await proxy.readTemperature() == 21.5)
                        }
                        var count = 0
                        for await _ in try await proxy.count(to: 50) { count += 1 }
                        #expect(count == 50)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("A new link has a new key agreement", .encrypted)
    func newLink() async throws {
        try await BleuStage.play { stage in
            let (_, proxy) = try await stage.connectedSensor(Self.sealed, Self.sealed)
            for _ in 0..<3 {
                #expect(try await proxy.readTemperature() == 21.5)
                #expect(try await proxy.reading(unit: "K").unit == "K")
                try await stage.loseLink()
            }
        }
    }

    @Test("A restarted peripheral agrees on a new key", .encrypted)
    func restartedPeripheral() async throws {
        try await BleuStage.play { stage in
            let client = stage.system(1, Self.sealed)
            let proxy = try await client.connect(to: adapterID(0), as: RoomSensor.self)
            for _ in 0..<3 {
                let system = stage.system(0, Self.sealed)
                try await system.startAdvertising(RoomSensor(actorSystem: system))
                try await stage.wait(.seconds(2))
                try? await proxy.calibrate(offset: 0)
                try await stage.wait(.seconds(2))
                #expect(try await proxy.readTemperature() == 21.5)
                try await system.stopAdvertising()
            }
        }
    }

    @Test("With `link`, the devices pair without a passkey", arguments: kinds)
    func pairing(kind: SimulatedBlueZVersion) async throws {
        try await BleuStage.play(kind) { stage in
            let (_, proxy) = try await stage.connectedSensor(Self.linked(), Self.linked())
            #expect(try await proxy.readTemperature() == 21.5)
            #expect(try await proxy.reading(unit: "K").unit == "K")
            try await stage.loseLink()
            #expect(try await proxy.readTemperature() == 21.5)
        }
    }

    @Test(
        "Without a passkey provider, a peripheral with a display is paired without a passkey",
        arguments: [SimulatedBlueZVersion.v5_66, .v5_82]
    )
    func withDisplay(kind: SimulatedBlueZVersion) async throws {
        let peers: [SimulatedPairing] = [.confirmation(7, isAgreed: true), .passkey(7), .justWorks]
        // A program that serves as well has an agent that shows numbers. From 5.82 on, bluetoothd then asks
        // for a passkey that only a display shows.
        let isAsked = { $0 == SimulatedPairing.passkey(7) && $1 && kind == .v5_82 }
        let cases = peers.flatMap({ [($0, true), ($0, false)] }).filter { !isAsked($0.0, $0.1) }
        for (pairing, isServing) in cases {
            try await BleuStage.play(kind) { stage in
                let server = stage.system(0, Self.linked())
                if isServing { try await server.startAdvertising(RoomSensor(actorSystem: server)) }
                let id = try await Self.addSensor(pairing, ["encrypt-read"], to: stage)
                let system = stage.system(1, Self.linked())
                let proxy = try await system.connect(to: id, as: RoomSensor.self)
                #expect(try await proxy.readTemperature() == 21.5, "\(pairing) \(isServing)")
            }
        }
    }

    @Test("Two systems pair with the same passkey, and do not pair with different ones")
    func bothSides() async throws {
        for isRight in [true, false] {
            try await BleuStage.play { stage in
                let (_, proxy) = try await stage.connectedSensor(
                    Self.linked { _ in 123_456 },
                    Self.linked { _ in isRight ? 123_456 : 111_111 }
                )
                do {
                    #expect(try await proxy.readTemperature() == 21.5)
                    #expect(isRight)
                    #expect(try await proxy.reading(unit: "K").unit == "K")
                } catch BleuError.connectionFailed {
                    #expect(!isRight)
                }
            }
        }
    }

    @Test("With a passkey provider, a peripheral that pairs without a number is not called")
    func withoutNumber() async throws {
        try await BleuStage.play { stage in
            let id = try await Self.addSensor(.justWorks, ["read"], to: stage)
            // The bond of the first attempt does not pass at the second one.
            for _ in 0..<2 {
                let system = stage.system(1, Self.linked { _ in 123_456 })
                let proxy = try await system.connect(to: id, as: RoomSensor.self)
                do {
                    _ = try await proxy.readTemperature()
                    Issue.record("a peripheral without the passkey was called")
                } catch BleuError.connectionFailed(let reason) {
                    #expect("\(reason)".contains("without a passkey"), "\(reason)")
                }
            }
        }
    }

    @Test("With `link`, the configured passkey pairs, and another or no passkey does not")
    func passkey() async throws {
        let providers: [(isRight: Bool, provider: (@Sendable (UUID) async -> UInt32?)?)] = [
            (true, { _ in 123_456 }), (false, { _ in 111_111 }), (false, { _ in nil }),
            (false, nil),
        ]
        for (isRight, provider) in providers {
            try await BleuStage.play { stage in
                let id = try await Self.addSensor(
                    .passkey(123_456),
                    ["encrypt-authenticated-read"],
                    to: stage
                )
                let system = stage.system(1, Self.linked(passkey: provider))
                let proxy = try await system.connect(to: id, as: RoomSensor.self)
                do {
                    #expect(try await proxy.readTemperature() == 21.5)
                    #expect(isRight)
                } catch BleuError.connectionFailed(let reason) {
                    #expect(!isRight && "\(reason)".contains("pairing"), "\(reason)")
                }
            }
        }
    }

    /// Adds a scripted sensor.
    ///
    /// - Returns: Its identifier.
    static func addSensor(
        _ pairing: SimulatedPairing,
        _ flags: [String],
        to stage: BleuStage
    ) async throws -> UUID {
        let address = "C0:00:00:00:00:01"
        try stage.perform { world in
            let service = ServiceMapper.serviceUUID(for: RoomSensor.self).uuidString
            let method = ServiceMapper.characteristicUUID(
                for: "readTemperature",
                in: RoomSensor.self
            )
            let device = SimulatedDevice(address: address, advertising: [service])
            let value = ScriptedCharacteristic(
                method.uuidString,
                flags,
                .value(Array("21.5".utf8))
            )
            device.addService(service, [value])
            device.pairing = pairing
            world.add(device)
        }
        return try PeripheralIdentifier(address: address, isRandomAddress: true, name: nil).uuid
    }
}
