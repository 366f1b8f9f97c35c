import Bleu
import Distributed
import Foundation
import Staging
import Testing

@Suite(
    "An actor with foreign callers",
    .timeLimit(.minutes(10)),
    .enabled(if: isRealBlueZ, "the simulated BlueZ has no foreign stack")
)
struct ForeignCallersCrowdScenarios {
    private typealias Answer = BumbleCaller.Answer

    @Test("Two concurrent callers receive their own replies and streams")
    func twoCallers() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let first = try await context.bumbleCaller(1)
            let second = try await context.bumbleCaller(2)
            try await context.serve(on: "hci0") { parts in
                for caller in [first, second] { try await caller.open("RoomSensor") }
                async let one: Void = Self.calls(first, "1")
                async let two: Void = Self.calls(second, "2")
                _ = try await (one, two)
                // Each central has ended its endless stream.
                let produced = parts.produced.value
                #expect(try await first.read("numberOfCalls").text == "4")
                #expect(parts.produced.value <= produced + 2)
                for caller in [first, second] { try await caller.disconnect() }
            }
        }
    }

    private static func calls(_ caller: BumbleCaller, _ name: String) async throws {
        #expect(try await caller.read("readTemperature").text == "21.5")
        for number in 0..<10 {
            let text = String(repeating: name, count: 600 + number)
            let bytes = Data(text.utf8).base64EncodedString()
            let answer = try await caller.call("echo", "[\"\(bytes)\"]")
            #expect(answer == Answer("value", "\"\(bytes)\""))
        }
        let long = try await caller.read("longText")
        #expect(long.kind == "value")
        #expect(long.text?.count == 3002)
        let failure = try await caller.call("failUnknown", "[\"\"]")
        #expect(failure.kind == "failure")
        #expect(failure.text?.contains("OpaqueError") == true)
        #expect(
            try await caller.call("reading", "[7]") == Answer("refusal", "\"invalidArguments\"")
        )
        let stream = try await caller.stream("count", "[200]", count: 1000)
        #expect(stream == Answer("end", "", (1...200).map(String.init)))
        let ended = try await caller.stream("endless", "[]", count: 50)
        #expect(ended.values?.count == 50)
        #expect(try await caller.call("calibrate", "[0]") == Answer("nothing", ""))
    }

    @Test("A central that only subscribes receives plain elements, and a caller beside it messages")
    func subscriber() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let subscriber = try await context.bumbleCaller(6)
            let caller = try await context.bumbleCaller(7)
            try await context.serve(on: "hci0") { parts in
                for each in [subscriber, caller] { try await each.open("RoomSensor") }
                let elements = try await subscriber.subscribe(to: "endless", count: 50)
                #expect(elements.values?.first == "1")
                #expect(elements.values?.count == 50)
                try await waitOnStage(for: "end of the producer") {
                    let produced = parts.produced.value
                    try await Task.sleep(for: .seconds(2))
                    return parts.produced.value == produced
                }
                let stream = try await caller.stream("endless", "[]", count: 20)
                #expect(stream.values?.count == 20)
                for each in [subscriber, caller] { try await each.disconnect() }
            }
        }
    }

    @Test("Random frames, and a caller that leaves within a message, do not disturb another caller")
    func noise() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let noisy = try await context.bumbleCaller(3)
            let other = try await context.bumbleCaller(4)
            try await context.serve(on: "hci0") { _ in
                for caller in [noisy, other] { try await caller.open("RoomSensor") }
                async let noise: Void = noisy.sendNoise("echo", count: 500, seed: 1)
                for number in 0..<20 {
                    let answer = try await other.call("echo", "[\"\(number + 1000)\"]")
                    #expect(answer == Answer("value", "\"\(number + 1000)\""))
                }
                try await noise
                #expect(try await noisy.call("echo", "[\"AAAA\"]") == Answer("value", "\"AAAA\""))
                try await noisy.breakOff("echo")
                #expect(try await other.read("readTemperature").text == "21.5")
                try await noisy.open("RoomSensor")
                #expect(try await noisy.call("echo", "[\"BBBB\"]") == Answer("value", "\"BBBB\""))
                for caller in [noisy, other] { try await caller.disconnect() }
            }
        }
    }

    @Test("With `link`, a caller is refused until it has paired with its passkey")
    func passkey() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let caller = try await context.bumbleCaller(5)
            var configuration = BleuConfiguration()
            configuration.encryption = .link
            configuration.passkeyProvider = { _ in 123_456 }
            try await context.serve(on: "hci0", configuration) { _ in
                try await caller.open("RoomSensor")
                await #expect(throws: TestbedATTError.self) {
                    try await caller.read("readTemperature")
                }
                try await caller.pair(.display(123_456))
                #expect(try await caller.read("readTemperature").text == "21.5")
                #expect(try await caller.call("calibrate", "[1]") == Answer("nothing", ""))
                #expect(try await caller.read("readTemperature").text == "22.5")
                try await caller.disconnect()
            }
        }
    }
}
