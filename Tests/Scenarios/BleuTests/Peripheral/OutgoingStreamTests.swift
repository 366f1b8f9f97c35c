import BluejaySimulator
import BluejayTesting
import Foundation
import Testing

@testable import Bleu

@Suite("Streams of centrals", .timeLimit(.minutes(15)))
struct OutgoingStreamTests {
    /// Opens a stream and receives the first 32 elements, which need no credit.
    private static func open(_ caller: Caller) async throws -> UInt16 {
        let call = try await caller.send(.call, "numbers")
        #expect(Answer(try await caller.next("numbers"), call) == Answer(.stream, ""))
        for number in UInt8(0)..<32 {
            let element = try await caller.next("numbers")
            #expect(element.kind == .element)
            #expect(element.body == Data([number, 0, 0, 0]) + Data("\(number)".utf8))
        }
        return call
    }

    @Test("Elements arrive in order, and never more than the credit", arguments: ServingStage.kinds)
    func credits(kind: SimulatedBlueZVersion) async throws {
        try await ServingStage.play(kind) { stage in
            let caller = try await stage.caller()
            let call = try await Self.open(caller)
            try await stage.wait(.seconds(5))
            #expect(stage.probe.producedCount.value == 32)
            try await caller.credit(34, "numbers", call: call)
            #expect(try await caller.next("numbers").body.suffix(2) == Data("32".utf8))
            #expect(try await caller.next("numbers").body.suffix(2) == Data("33".utf8))
            #expect(try await caller.call("echo") == Answer(.value, "[]"))
        }
    }

    @Test("A cancelled stream ends its producer within a second")
    func cancelled() async throws {
        try await ServingStage.play { stage in
            let caller = try await stage.caller()
            let call = try await Self.open(caller)
            try await caller.send(.cancel, "numbers", call: call)
            try await stage.wait(.milliseconds(500))
            #expect(stage.probe.endedProducers.value == 1)
        }
    }

    @Test(
        "The producer ends within a second of the end of the link or of the subscription",
        arguments: ServingStage.kinds,
        [[CentralStep.disconnect], [.loseLink], [.unsubscribe(Probe.uuid("numbers"))]]
    )
    func ended(kind: SimulatedBlueZVersion, steps: [CentralStep]) async throws {
        try await ServingStage.play(kind) { stage in
            let caller = try await stage.caller()
            _ = try await Self.open(caller)
            _ = try await caller.central.play(steps)
            try await stage.wait(.seconds(1))
            #expect(stage.probe.endedProducers.value == 1)
        }
    }

    @Test("The end of the last subscription ends all streams", arguments: ServingStage.kinds)
    func lastSubscription(kind: SimulatedBlueZVersion) async throws {
        try await ServingStage.play(kind) { stage in
            let callers = [
                try await stage.caller(session: 1), try await stage.caller(session: 2),
            ]
            for caller in callers { _ = try await Self.open(caller) }
            for caller in callers {
                try await caller.central.unsubscribe(from: Probe.uuid("numbers"))
            }
            // The producers end in tasks, and virtual time does not wait for tasks.
            try await stage.wait(for: "end of 2 producers") {
                stage.probe.endedProducers.value == 2
            }
        }
    }

    @Test(
        "The first subscriber that leaves ends its own stream only",
        arguments: ServingStage.kinds
    )
    func firstSubscriber(kind: SimulatedBlueZVersion) async throws {
        try await ServingStage.play(kind) { stage in
            let leaving = try await stage.caller(session: 1)
            let staying = try await stage.caller(session: 2)
            _ = try await Self.open(leaving)
            let call = try await Self.open(staying)
            try await leaving.central.leave()
            try await stage.wait(.seconds(3))
            #expect(stage.probe.endedProducers.value == 1)
            try await staying.credit(33, "numbers", call: call)
            #expect(try await staying.next("numbers").body.suffix(2) == Data("32".utf8))
        }
    }

    @Test("Another central that leaves does not end the stream", arguments: ServingStage.kinds)
    func otherCentral(kind: SimulatedBlueZVersion) async throws {
        try await ServingStage.play(kind) { stage in
            let caller = try await stage.caller(session: 1)
            let call = try await Self.open(caller)
            let other = try await stage.caller(session: 2)
            #expect(try await other.call("echo") == Answer(.value, "[]"))
            try await other.central.leave()
            try await stage.wait(.seconds(3))
            #expect(stage.probe.endedProducers.value == 0)
            try await caller.credit(33, "numbers", call: call)
            #expect(try await caller.next("numbers").body.suffix(1) == Data("2".utf8))
        }
    }

    @Test("A central has 64 streams, and the next one is refused")
    func limit() async throws {
        try await ServingStage.play { stage in
            let caller = try await stage.caller()
            for _ in 0..<64 { try await caller.send(.call, "numbers") }
            try await stage.wait(.seconds(2))
            try await caller.send(.call, "numbers")
            var answers: [FrameKind: Int] = [:]
            for _ in 0..<64 * 33 + 1 {
                let message = try await caller.next("numbers")
                answers[message.kind, default: 0] += 1
            }
            #expect(answers == [.stream: 64, .element: 64 * 32, .refusal: 1])
            try await caller.central.leave()
            // The producers end in tasks, and virtual time does not wait for tasks.
            try await stage.wait(for: "end of 64 producers") {
                stage.probe.endedProducers.value == 64
            }
        }
    }
}
