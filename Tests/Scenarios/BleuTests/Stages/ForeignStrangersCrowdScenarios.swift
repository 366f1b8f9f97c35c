import Bleu
import Distributed
import Foundation
import Staging
import TestSupport
import Testing

@Suite(
    "An actor among untrusted foreign centrals",
    .timeLimit(.minutes(10)),
    .enabled(if: isRealBlueZ, "the simulated BlueZ has no foreign stack")
)
struct ForeignStrangersCrowdScenarios {
    private typealias Answer = BumbleCaller.Answer

    // MARK: Pairing

    private static func linked(_ asked: SharedCount, passkey: UInt32 = 123_456)
        -> BleuConfiguration
    {
        var configuration = BleuConfiguration()
        configuration.encryption = .link
        configuration.passkeyProvider = { _ in
            asked.increment()
            return passkey
        }
        return configuration
    }

    /// Reads, subscribes and writes a call, each of which the server has to refuse.
    private static func expectRefusals(_ stranger: BumbleCaller) async throws {
        // Insufficient authentication.
        let refusal = TestbedATTError(code: 0x05)
        await #expect(throws: refusal) { try await stranger.read("readTemperature") }
        await #expect(throws: refusal) { try await stranger.call("calibrate", "[5]") }
        let call = try await stranger.preparedCall("calibrate", "[5]")
        await #expect(throws: refusal) { try await stranger.write(call, to: "calibrate") }
    }

    private static func expectNothingHasRun(_ owner: BumbleCaller) async throws {
        #expect(try await owner.read("numberOfCalls").text == "0")
        #expect(try await owner.read("readTemperature").text == "21.5")
    }

    @Test(
        "With a passkey provider, a central that pairs without a number can neither read nor call",
        arguments: [false, true]
    )
    func withoutNumber(desktopAgrees: Bool) async throws {
        try await withTestbed(variant: "\(desktopAgrees)", on: .multiplePeers) { context in
            let asked = SharedCount()
            let stranger = try await context.bumbleCaller(6)
            let owner = try await context.bumbleCaller(7)
            let agent = desktopAgrees ? try await context.agreeToPairing() : nil
            try await context.serve(on: "hci0", Self.linked(asked)) { _ in
                try await stranger.open("RoomSensor")
                try await Self.expectRefusals(stranger)
                if desktopAgrees {
                    try await stranger.pair(.withoutNumber)
                } else {
                    await #expect(throws: TestbedError.self) {
                        try await stranger.pair(.withoutNumber)
                    }
                }
                try await Self.expectRefusals(stranger)
                #expect(asked.value == 0)
                guard !desktopAgrees else { return }
                try await owner.open("RoomSensor")
                try await owner.pair(.display(123_456))
                try await Self.expectNothingHasRun(owner)
                #expect(asked.value == 1)
                try await Self.expectRefusals(stranger)
            }
            withExtendedLifetime(agent) {}
        }
    }

    @Test(
        "With a passkey provider, keys made earlier without a number are rejected"
    )
    func earlierKeys() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let caller = try await context.bumbleCaller(8)
            var open = BleuConfiguration()
            open.encryption = .link
            try await context.serve(on: "hci0", open) { _ in
                try await caller.open("RoomSensor")
                try await caller.pair(.withoutNumber)
                #expect(try await caller.read("readTemperature").text == "21.5")
                try await caller.disconnect()
            }
            let asked = SharedCount()
            try await context.serve(on: "hci0", Self.linked(asked)) { _ in
                try await caller.open("RoomSensor", isBonded: true)
                try await Self.expectRefusals(caller)
                #expect(asked.value == 0)
            }
        }
    }

    @Test(
        "With a passkey provider, the right passkey allows calls, and the provider is called once",
        arguments: [
            BumbleCaller.Pairing.display(123_456), .keyboard(123_456), .displayAndKeyboard(123_456),
        ]
    )
    func rightPasskey(_ pairing: BumbleCaller.Pairing) async throws {
        try await withTestbed(variant: "\(pairing)", on: .multiplePeers) { context in
            let asked = SharedCount()
            let caller = try await context.bumbleCaller(9)
            try await context.serve(on: "hci0", Self.linked(asked)) { _ in
                try await caller.open("RoomSensor")
                try await caller.pair(pairing)
                try await Self.expectNothingHasRun(caller)
                #expect(try await caller.call("calibrate", "[1]") == Answer("nothing", ""))
                #expect(try await caller.read("readTemperature").text == "22.5")
                #expect(asked.value == 1)
            }
        }
    }

    @Test("With a passkey provider, a central with a wrong passkey can neither read nor call")
    func wrongPasskey() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let asked = SharedCount()
            let caller = try await context.bumbleCaller(9)
            try await context.serve(on: "hci0", Self.linked(asked, passkey: 111_111)) { _ in
                try await caller.open("RoomSensor")
                await #expect(throws: TestbedError.self) {
                    try await caller.pair(.display(123_456))
                }
                try await Self.expectRefusals(caller)
                #expect(asked.value == 1)
            }
        }
    }

    // MARK: Sealed calls

    @Test("A captured sealed call that is written elsewhere does not run", .encrypted)
    func diverted() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            var configuration = BleuConfiguration()
            configuration.encryption = .aesGCM
            configuration.sessionCipher = encryptedSessions
            let victim = try await context.bumbleCaller(10)
            let stranger = try await context.bumbleCaller(11)
            try await context.serve(on: "hci0", configuration) { _ in
                try await victim.open("RoomSensor")
                try await stranger.open("RoomSensor")
                try await victim.agree(on: "note")
                #expect(try await victim.call("reading", "[\"K\"]").kind == "value")
                // On the victim's link, as a device on the path would write it.
                let captured = try await victim.preparedCall("reading", "[\"noted\"]")
                try await victim.write(captured, to: "note")
                #expect(try await victim.call("allLines", "[]") == Answer("value", "[]"))
                // From another link, to the method of the call and to another one.
                let own = try await victim.preparedCall("note", "[\"own\"]")
                for method in ["note", "echo"] { try await stranger.write(own, to: method) }
                #expect(try await victim.call("allLines", "[]") == Answer("value", "[]"))
                try await victim.write(own, to: "note")
                #expect(try await victim.call("allLines", "[]") == Answer("value", "[\"own\"]"))
                // The same frames once more.
                try await victim.write(own, to: "note")
                #expect(try await victim.call("allLines", "[]") == Answer("value", "[\"own\"]"))
            }
        }
    }

    // MARK: The numbers of another central

    @Test("A central that copies the numbers of another one ends neither its call nor its stream")
    func numbers() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let victim = try await context.bumbleCaller(12)
            let stranger = try await context.bumbleCaller(13)
            try await context.serve(on: "hci0") { parts in
                try await victim.open("RoomSensor")
                try await stranger.open("RoomSensor")
                // The stranger hears all that is broadcast.
                for method in ["waitAndEcho", "ticks"] {
                    _ = try await stranger.stream(method, "{", count: 1)
                }
                async let stream = victim.stream("ticks", "[]", count: 3)
                try await waitOnStage(for: "stream") { parts.ticker.readers == 1 }
                parts.ticker.send(1)
                let streamNumbers = try await victim.numbers()
                try await stranger.imitate(streamNumbers, "ticks", "[]")
                async let call = victim.call("waitAndEcho", "[\"mine\"]")
                try await waitOnStage(for: "call") { parts.door.count == 1 }
                let callNumbers = try await victim.numbers()
                #expect(callNumbers != streamNumbers)
                for numbers in [callNumbers, streamNumbers] {
                    try await stranger.imitate(numbers, "waitAndEcho", "[\"other\"]")
                    try await stranger.imitate(numbers, "ticks", "[]")
                }
                try await Task.sleep(for: .seconds(2))
                parts.door.open()
                #expect(try await call == Answer("value", "\"mine\""))
                #expect(parts.ticker.ended.value == 0)
                for number in 2...3 { parts.ticker.send(number) }
                let received = try await stream
                #expect(received.kind == "element")
                #expect(received.values == ["1", "2", "3"])
                #expect(try await victim.read("readTemperature").text == "21.5")
            }
        }
    }
}
