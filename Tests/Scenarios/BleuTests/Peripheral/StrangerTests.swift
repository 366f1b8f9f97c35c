import BluejaySimulator
import BluejayTesting
import Foundation
import TestSupport
import Testing

@testable import Bleu

/// Tests `ActorService` and `ConnectedCentrals`.
@Suite("Centrals that write arbitrary bytes", .timeLimit(.minutes(15)))
struct StrangerTests {
    /// Lets a stranger write, then calls a method from the same central and from another.
    private static func play(
        _ kind: SimulatedBlueZVersion,
        _ steps: [CentralStep]
    ) async throws {
        try await ServingStage.play(kind) { stage in
            let stranger = try await stage.caller(Probe.answered, session: 1)
            let other = try await stage.caller(["echo"], session: 2)
            let report = try await stranger.central.play(steps)
            #expect(report.failureCount == 0)
            #expect(try await other.call("echo", "[2]") == Answer(.value, "[2]"))
            // An unfinished message is discarded after 30 s.
            try await stage.wait(.seconds(31))
            try await stranger.central.leave()
            try await stranger.central.connect()
            try await stranger.central.subscribe(to: Probe.uuid("echo"))
            try await stage.wait(.seconds(1))
            _ = try? await stranger.central.play([
                .expect(Probe.uuid("echo"), count: 300, within: .seconds(1))
            ])
            let again = Caller(stranger.central, session: 7, mtu: 517)
            #expect(try await again.call("echo", "[1]") == Answer(.value, "[1]"))
        }
    }

    @Test(
        "Writes of random bytes with any length do not disturb the peripheral",
        arguments: ServingStage.kinds
    )
    func random(kind: SimulatedBlueZVersion) async throws {
        var generator = SeededGenerator(seed: 34)
        let steps = (0...510).map { length in
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let method = Probe.answered.randomElement(using: &generator) ?? "echo"
            return CentralStep.write(Probe.uuid(method), bytes, .withoutResponse)
        }
        try await Self.play(kind, steps)
    }

    @Test("Random bytes after a valid header do not disturb the peripheral")
    func randomBodies() async throws {
        var generator = SeededGenerator(seed: 35)
        let steps = (0..<2000).map { _ in
            let kind = UInt8.random(in: 0...15, using: &generator)
            let header: [UInt8] = [0x10 | kind, 1, 0, .random(in: 0...9, using: &generator), 0]
            let index: [UInt8] = [.random(in: 0...3, using: &generator), 0]
            let length = Int.random(in: 0...40, using: &generator)
            let rest = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let method = Probe.answered.randomElement(using: &generator) ?? "echo"
            return CentralStep.write(Probe.uuid(method), header + index + rest, .withoutResponse)
        }
        try await Self.play(.v5_86, steps)
    }

    @Test("Thousands of incomplete messages and lengths of 4 GiB do not disturb the peripheral")
    func unfinished() async throws {
        let steps = (0..<5000).map { number in
            let call = [UInt8(number & 255), UInt8(number >> 8)]
            let length: [UInt8] = number % 2 == 0 ? [0, 1, 0, 0] : [255, 255, 255, 255]
            let header: [UInt8] = [0x11, 1, 0] + call + [0, 0, 0] + length + [1, 2, 3, 4]
            return CentralStep.write(Probe.uuid("echo"), header + [1, 2, 3], .withoutResponse)
        }
        try await Self.play(.v5_86, steps)
    }

    @Test(
        "Empty writes and concurrent calls of all methods do not disturb the peripheral",
        arguments: ServingStage.kinds
    )
    func everything(kind: SimulatedBlueZVersion) async throws {
        var transport = BLETransport(receiving: .fromPeripheral)
        var steps: [CentralStep] = []
        for number in 0..<40 {
            for method in Probe.answered {
                let call = UInt16(number * 10 + steps.count % 10)
                let message = Message(kind: .call, session: 1, call: call, body: Data("[]".utf8))
                steps += try transport.frames(of: message, frameSize: 100).map {
                    .write(Probe.uuid(method), [UInt8]($0), .withoutResponse)
                }
                steps.append(.write(Probe.uuid(method), [], .withoutResponse))
            }
        }
        try await Self.play(kind, steps)
    }

    @Test("A disconnect within a message does not affect the next link")
    func halfMessage() async throws {
        try await ServingStage.play { stage in
            let caller = try await stage.caller(["echo"])
            var transport = BLETransport(receiving: .fromPeripheral)
            let body = Data("[\(String(repeating: "1", count: 300))]".utf8)
            let message = Message(kind: .call, session: 5, call: 1, body: body)
            for frame in try transport.frames(of: message, frameSize: 100).prefix(2) {
                try await caller.central.write([UInt8](frame), to: Probe.uuid("echo"))
            }
            try await caller.central.play([.loseLink, .connect]).check()
            try await caller.central.subscribe(to: Probe.uuid("echo"))
            #expect(try await caller.call("echo") == Answer(.value, "[]"))
            #expect(stage.probe.count(of: "echo") == 1)
        }
    }

    @Test(
        "A call that lost a frame is refused after 2 s, and one that lost its last frame after 30 s"
    )
    func lostFrame() async throws {
        try await ServingStage.play { stage in
            let caller = try await stage.caller(["echo"])
            var transport = BLETransport(receiving: .fromPeripheral)
            let body = Data("[\(String(repeating: "1", count: 300))]".utf8)
            for (lost, limit) in [(1, 2.1), (3, 30.1)] {
                let call = UInt16(100 + lost)
                let message = Message(
                    kind: .call,
                    session: caller.session,
                    call: call,
                    body: body
                )
                var frames = try transport.frames(of: message, frameSize: 100).map { [UInt8]($0) }
                frames.remove(at: lost)
                for frame in frames {
                    try await caller.central.write(frame, to: Probe.uuid("echo"))
                }
                try await stage.wait(.seconds(limit))
                #expect(caller.central.values(of: Probe.uuid("echo")).count == (lost == 1 ? 1 : 2))
                #expect(Answer(try await caller.next("echo"), call) == .refusal(.timedOut))
            }
        }
    }

    @Test("A message whose frames arrive slowly is complete, whatever its total time")
    func slowFrames() async throws {
        try await ServingStage.play { stage in
            let caller = try await stage.caller(["echo"])
            var transport = BLETransport(receiving: .fromPeripheral)
            let body = Data("[\(String(repeating: "1", count: 300))]".utf8)
            let message = Message(kind: .call, session: caller.session, call: 9, body: body)
            for frame in try transport.frames(of: message, frameSize: 60) {
                try await caller.central.write([UInt8](frame), to: Probe.uuid("echo"))
                try await stage.wait(.seconds(20))
            }
            #expect(try await caller.next("echo").body == body)
        }
    }

    @Test("A frame of another version is refused with the supported version")
    func version() async throws {
        try await ServingStage.play { stage in
            let caller = try await stage.caller(["echo"])
            let frame: [UInt8] = [0xF1, 0x34, 0x12, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]
            try await caller.central.write(frame, to: Probe.uuid("echo"))
            let answer = Answer(try await caller.next("echo"), 7)
            #expect(answer == .refusal(.incompatibleVersion))
        }
    }

    @Test("A target that the method does not have is refused")
    func target() async throws {
        try await ServingStage.play { stage in
            let caller = try await stage.caller(["echo"])
            let flags = MessageFlags.namesTarget
            #expect(
                try await caller.call("echo", "long\0[]", flags: flags) == .refusal(.unknownMethod)
            )
            #expect(
                try await caller.call("echo", "echo\0[1]", flags: flags) == Answer(.value, "[1]")
            )
            #expect(try await caller.call("echo", "echo", flags: flags) == .refusal(.invalidData))
        }
    }

    @Test("A subscription that is never read does not hold up another central")
    func silentSubscriber() async throws {
        try await ServingStage.play { stage in
            let stranger = try await stage.caller(["long"], session: 1)
            let other = try await stage.caller(["echo"], session: 2)
            try stranger.central.perform { $0.takesValues = false }
            for _ in 0..<300 { try await stranger.send(.call, "long") }
            #expect(try await other.call("echo", "[2]") == Answer(.value, "[2]"))
        }
    }

    @Test("An unsubscribed central can call methods, and its replies block no other central")
    func unsubscribed() async throws {
        try await ServingStage.play {
            $0.maximumQueuedCalls = 101
        } _: { stage in
            let stranger = try await stage.caller([], session: 1)
            for _ in 0..<100 { try await stranger.send(.call, "long") }
            try await stranger.send(.call, "numbers")
            try await stage.wait(for: "calls") { stage.probe.count(of: "long") == 100 }
            try await stage.wait(.seconds(1))
            #expect(
                try await stage.caller(["echo"], session: 2).call("echo") == Answer(.value, "[]")
            )
        }
    }
}
