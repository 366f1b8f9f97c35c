import BluejayCore
import BluejaySimulator
import BluejayTesting
import Foundation
import Testing

@testable import Bleu

/// Tests `SessionMessages`.
@Suite("A peripheral that violates the protocol", .timeLimit(.minutes(15)))
struct StrangerPeripheralTests {
    private static let right = #"{"value":21.5,"unit":"K"}"#

    /// Serves a stranger on hci0 and passes it to `body` with a proxy on hci1.
    private static func play(
        _ body: @escaping @Sendable (Stranger, RoomSensor) async throws -> Void
    ) async throws {
        try await BleuStage.play { stage in
            let stranger = try await Stranger.serving(in: stage)
            let system = stage.system(1)
            let proxy = try await system.connect(to: adapterID(0), as: RoomSensor.self)
            try await body(stranger, proxy)
        }
    }

    private static func expect(
        _ expected: String,
        _ what: String,
        _ stranger: Stranger,
        _ proxy: RoomSensor,
        call: ((RoomSensor) async throws -> Void)? = nil,
        _ script: @escaping Stranger.Script
    ) async throws {
        await stranger.answer(script)
        do {
            if let call { try await call(proxy) } else { _ = try await proxy.reading(unit: "K") }
            Issue.record("\(what): the call has succeeded")
        } catch {
            #expect(BleuError.caseName(error) == expected, "\(what)")
        }
        try await expectWorking(stranger, proxy, "after \(what)")
    }

    private static func expectWorking(
        _ stranger: Stranger,
        _ proxy: RoomSensor,
        _ what: String
    ) async throws {
        await stranger.answer { $0.kind == .call ? $0.answer(.value, right) : [] }
        let reading = try await proxy.reading(unit: "K")
        #expect(reading == SensorReading(value: 21.5, unit: "K"), "\(what)")
    }

    @Test(
        "A method whose characteristic cannot be written is not found, and nothing is written",
        arguments: [BleuConfiguration.Encryption.plain]
            + (encryptedSessions == nil ? [] : [.aesGCM])
    )
    func unwritable(encryption: BleuConfiguration.Encryption) async throws {
        try await BleuStage.play(adapters: 1) { stage in
            let address = "C0:00:00:00:00:01"
            try stage.perform { world in
                let service = ServiceMapper.serviceUUID(for: RoomSensor.self).uuidString
                let device = SimulatedDevice(address: address, advertising: [service])
                let methods = ["calibrate", "note", "reading"].map { method in
                    ScriptedCharacteristic(
                        ServiceMapper.characteristicUUID(for: method, in: RoomSensor.self)
                            .uuidString,
                        ["notify"],
                        .value([])
                    )
                }
                device.addService(service, methods)
                world.add(device)
            }
            var configuration = BleuConfiguration()
            configuration.encryption = encryption
            if encryption == .aesGCM { configuration.sessionCipher = encryptedSessions }
            let system = stage.system(0, configuration)
            let peripheral = try PeripheralIdentifier(
                address: address,
                isRandomAddress: true,
                name: nil
            )
            let id = peripheral.uuid
            let proxy = try await system.connect(to: id, as: RoomSensor.self)
            do {
                _ = try await proxy.reading(unit: "K")
                Issue.record("the call has succeeded")
            } catch {
                #expect(BleuError.caseName(error) == "characteristicNotFound")
            }
            let count = try stage.perform { $0.device(address)?.writeCount }
            #expect(count == 0)
        }
    }

    @Test("A reply of another call, session, kind or direction is ignored")
    func otherAnswers() async throws {
        try await Self.play { stranger, proxy in
            let scripts: [(String, Stranger.Script)] = [
                ("no answer", { _ in [] }),
                ("the call before", { $0.answer(.value, Self.right, call: -1) }),
                ("the call after", { $0.answer(.value, Self.right, call: 1) }),
                ("a call far away", { $0.answer(.value, Self.right, call: 30_000) }),
                (
                    "another session",
                    { message in
                        var other = message
                        other.session &+= 1
                        return other.answer(.value, Self.right)
                    }
                ),
                ("a request", { $0.answer(.call, "[]") }),
                ("an element without a stream", { $0.element(0, "1") }),
                ("an end without a stream", { $0.answer(.end) }),
                ("a key", { $0.answer(.helloReply, "key") }),
                ("short frames", { _ in (0..<7).map { Data(repeating: 0x18, count: $0) } }),
            ]
            for (what, script) in scripts {
                try await Self.expect("connectionTimeout", what, stranger, proxy, script)
            }
        }
    }

    @Test("Malformed JSON, a value of another type and a result of the wrong kind are invalid")
    func otherValues() async throws {
        try await Self.play { stranger, proxy in
            let bodies = [
                "", "x", "{", "1", "null", "[]", #"{"value":"21.5","unit":"K"}"#, #"{"value":1}"#,
                String(repeating: "[", count: 100_000), "\u{0}", #"{"value":1e999,"unit":"K"}"#,
            ]
            for body in bodies {
                let what = "value \(body.prefix(30))"
                try await Self.expect("invalidData", what, stranger, proxy) {
                    $0.answer(.value, body)
                }
            }
            for kind in [FrameKind.nothing, .stream, .failure, .refusal] {
                try await Self.expect("invalidData", "\(kind)", stranger, proxy) {
                    $0.kind == .call ? $0.answer(kind, "x") : []
                }
            }
            for kind in [FrameKind.value, .stream] {
                let call: (RoomSensor) async throws -> Void = { try await $0.calibrate(offset: 1) }
                try await Self.expect("invalidData", "\(kind)", stranger, proxy, call: call) {
                    $0.kind == .call ? $0.answer(kind, "1") : []
                }
            }
            for kind in [FrameKind.value, .nothing] {
                let call: (RoomSensor) async throws -> Void = { _ = try await $0.count(to: 1) }
                try await Self.expect("invalidData", "\(kind)", stranger, proxy, call: call) {
                    $0.answer(kind, "1")
                }
            }
        }
    }

    @Test("A session without any reply is replaced, and one with a reply stays")
    func unansweredSession() async throws {
        try await Self.play { stranger, proxy in
            await stranger.answer { _ in [] }
            _ = try? await proxy.reading(unit: "K")
            let first = await stranger.messages.last?.session
            try await Self.expectWorking(stranger, proxy, "another session")
            let second = await stranger.messages.last?.session
            #expect(second != first)
            await stranger.answer { _ in [] }
            _ = try? await proxy.reading(unit: "K")
            #expect(await stranger.messages.last?.session == second)
            try await Self.expectWorking(stranger, proxy, "the same session")
            #expect(await stranger.messages.last?.session == second)
        }
    }

    @Test(
        "A reply that lost a frame times out after 2 s, and one that lost its last frame after 10 s"
    )
    func lostFrame() async throws {
        let text = #"{"value":21.5,"unit":"\#(String(repeating: "K", count: 400))"}"#
        try await BleuStage.play { stage in
            let stranger = try await Stranger.serving(in: stage)
            let proxy = try await stage.system(1).connect(to: adapterID(0), as: RoomSensor.self)
            try await Self.expectWorking(stranger, proxy, "start")
            for (lost, limit) in [(2, 2.5), (4, 10.5)] {
                let start = stage.world.clock.now
                try await Self.expect("connectionTimeout", "frame \(lost)", stranger, proxy) {
                    guard $0.kind == .call else { return [] }
                    var frames = $0.answer(.value, text, size: 100)
                    frames.remove(at: lost)
                    return frames
                }
                #expect(start.duration(to: stage.world.clock.now) < .seconds(limit), "\(lost)")
            }
        }
    }

    @Test("A repeated reply, or one with reordered frames, counts once")
    func repeated() async throws {
        try await Self.play { stranger, proxy in
            let expected = SensorReading(value: 21.5, unit: "K")
            let scripts: [Stranger.Script] = [
                { $0.answer(.value, Self.right) + $0.answer(.value, Self.right) },
                { $0.answer(.value, Self.right) + $0.answer(.value, #"{"value":1,"unit":"K"}"#) },
                { $0.answer(.value, Self.right, size: 20).reversed() },
                {
                    let frames = $0.answer(.value, Self.right, size: 20)
                    return frames.flatMap { [$0, $0] }
                },
                { $0.answer(.value, "1", call: 1) + $0.answer(.value, Self.right) },
                { $0.answer(.value, "1", call: -1) + $0.answer(.value, Self.right) },
            ]
            for script in scripts {
                await stranger.answer(script)
                for _ in 0..<3 {
                    let reading = try await proxy.reading(unit: "K")
                    #expect(reading == expected)
                }
            }
        }
    }

    @Test("A changed bit at any position yields no value")
    func changedBits() async throws {
        try await Self.play { stranger, proxy in
            for position in 0..<(16 + Self.right.utf8.count) * 8 {
                await stranger.answer { message in
                    guard message.kind == .call else { return [] }
                    var frame = [UInt8](message.answer(.value, Self.right)[0])
                    frame[position / 8] ^= 1 << UInt8(position % 8)
                    return [Data(frame)]
                }
                do {
                    _ = try await proxy.reading(unit: "K")
                    Issue.record("bit \(position) of an answer was changed")
                } catch is BleuError {}
                guard position % 29 == 0 else { continue }
                try await Self.expectWorking(stranger, proxy, "bit \(position)")
            }
            try await Self.expectWorking(stranger, proxy, "all bits")
        }
    }

    @Test("Frames of another version are an error with both versions")
    func version() async throws {
        try await Self.play { stranger, proxy in
            for version in [0, 2, 15] {
                let expected = "incompatibleVersion(detected: \(version), required: 1)"
                try await Self.expect(expected, "version \(version)", stranger, proxy) { message in
                    message.answer(.value, Self.right).map {
                        Data([UInt8(version) << 4 | $0[$0.startIndex] & 0x0F]) + $0.dropFirst()
                    }
                }
            }
        }
    }

    @Test("A reply above the limit, or with a length of 4 GiB, is invalid")
    func tooLong() async throws {
        try await Self.play { stranger, proxy in
            for length in [[0xFF, 0xFF, 0xFF, 0xFF], [0x41, 0, 0x10, 0]] as [[UInt8]] {
                try await Self.expect("invalidData", "length \(length)", stranger, proxy) {
                    var frame = [UInt8]($0.answer(.value, Self.right)[0])
                    frame.replaceSubrange(8..<12, with: length)
                    return [Data(frame)]
                }
            }
            // Deflate shrinks this text; the receiver must expand it.
            let bomb = String(repeating: "1", count: 3 << 20)
            try await Self.expect("invalidData", "3 MiB compressed", stranger, proxy) {
                $0.kind == .call ? $0.answer(.value, bomb) : []
            }
        }
    }

    @Test("A read value that is malformed JSON or of another type is invalid")
    func reads() async throws {
        try await Self.play { stranger, proxy in
            for value in ["", "x", "\"21.5\"", "[21.5]", "{", "\u{FF}\u{0}", "21.5.1"] {
                await stranger.setValue(value)
                do {
                    _ = try await proxy.readTemperature()
                    Issue.record("\(value) was read as a number")
                } catch BleuError.invalidData {}
            }
            await stranger.setValue("21.5")
            #expect(try await proxy.readTemperature() == 21.5)
        }
    }

    @Test("Each refusal is reported as its own error, and the link stays")
    func refusals() async throws {
        try await Self.play { stranger, proxy in
            let expected: [(Refusal, String)] = [
                (.unknownMethod, "characteristicNotFound"), (.invalidArguments, "invalidData"),
                (.invalidData, "invalidData"), (.busy, "quotaExceeded"), (.tooLong, "invalidData"),
                (.unknownCall, "connectionFailed"), (.sessionInUse, "connectionFailed"),
                (.cipherRequired, "invalidData"), (.cipherFailed, "invalidData"),
                (.incompatibleVersion, "invalidData"),
            ]
            for (refusal, error) in expected {
                try await Self.expect(error, "\(refusal)", stranger, proxy) {
                    $0.answer(.refusal, "\"\(refusal.rawValue)\"")
                }
                #expect(await proxy.actorSystem.isConnected(proxy.id))
            }
        }
    }

    @Test("A stream with a gap, or beyond its credit, fails")
    func streams() async throws {
        try await Self.play { stranger, proxy in
            let scripts: [(what: String, last: Int, script: Stranger.Script)] = [
                ("a gap", 1, { Self.elements($0, [0, 2]) }),
                ("no first element", 0, { Self.elements($0, [1, 2]) }),
                ("no credit", 32, { Self.elements($0, Array(0..<40)) }),
                ("a far number", 1, { Self.elements($0, [0, 0x4000_0000]) }),
                ("no number", 0, { $0.answer(.stream) + $0.answer(.element, "x") }),
                ("no JSON", 0, { $0.answer(.stream) + $0.element(0, "x") }),
                ("another type", 0, { $0.answer(.stream) + $0.element(0, "\"x\"") }),
                ("a refusal", 0, { $0.answer(.stream) + $0.answer(.refusal, "\"busy\"") }),
                ("no error", 0, { $0.answer(.stream) + $0.answer(.end, "x") }),
                (
                    "damage", 0,
                    { $0.answer(.stream) + $0.answer(.element, "11111").map(Self.broken) }
                ),
            ]
            for (what, last, script) in scripts {
                await stranger.answer { $0.kind == .call ? script($0) : [] }
                var received: [Int] = []
                do {
                    let elements = try await proxy.countAndFail(after: 100)
                    // Reading an element grants credit, so read none until all have arrived.
                    try await Self.expectWorking(stranger, proxy, what)
                    for try await number in elements { received.append(number) }
                    Issue.record("a stream with \(what) has ended")
                } catch BleuError.invalidData {}
                #expect(received == Array(0..<last), "\(what)")
                try await Self.expectWorking(stranger, proxy, what)
            }
        }
    }

    @Test("Repeated elements and a second result of a stream change nothing")
    func repeatedElements() async throws {
        try await Self.play { stranger, proxy in
            await stranger.answer { message in
                guard message.kind == .call else { return [] }
                let start = message.answer(.stream)
                let elements = [0, 0, 1, 0, 1, 2].flatMap { message.element($0, "\($0)") }
                let end = message.answer(.end)
                return start + start + elements + message.answer(.value, "7") + end + end
                    + message.element(3, "3")
            }
            for _ in 0..<3 {
                var received: [Int] = []
                for await number in try await proxy.count(to: 9) { received.append(number) }
                #expect(received == [0, 1, 2])
            }
        }
    }

    private static func elements(_ message: Message, _ numbers: [UInt32]) -> [Data] {
        message.answer(.stream) + numbers.flatMap { message.element($0, "\($0)") }
    }

    private static func broken(_ frame: Data) -> Data { frame.dropLast() + [0xFF] }
}
