import BluejayGATTServer
import BluejaySimulator
import BluejayTesting
import Foundation
import Testing

@testable import Bleu

/// Tests `CentralCalls` and `ConnectedCentral`.
@Suite("Calls of centrals", .timeLimit(.minutes(15)))
struct ServedCallTests {
    @Test("A plain Bluetooth tool reads a value as JSON", arguments: ServingStage.kinds)
    func read(kind: SimulatedBlueZVersion) async throws {
        try await ServingStage.play(kind) { stage in
            let caller = try await stage.caller([], mtu: 23)
            let value = try await caller.central.read(Probe.uuid("value"))
            #expect(String(decoding: value, as: UTF8.self) == "21.5")
            #expect(stage.probe.count(of: "value") == 1)
        }
    }

    @Test("A long result is fetched, and the method runs once", arguments: ServingStage.kinds)
    func longRead(kind: SimulatedBlueZVersion) async throws {
        try await ServingStage.play(kind) { stage in
            let caller = try await stage.caller()
            await #expect(throws: CentralError.refused(0x81)) {
                try await caller.central.read(Probe.uuid("long"))
            }
            try await caller.send(.fetch, "long")
            #expect(try await caller.next("long").body.count == 2002)
            #expect(stage.probe.count(of: "long") == 1)
            let fetch = try await caller.send(.fetch, "long")
            #expect(Answer(try await caller.next("long"), fetch) == .refusal(.unknownCall))
        }
    }

    @Test(
        "Where a read calls the method, writes other than frames are refused with an ATT error",
        arguments: ServingStage.kinds
    )
    func noFrame(kind: SimulatedBlueZVersion) async throws {
        try await ServingStage.play(kind) { stage in
            let caller = try await stage.caller([])
            let header: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            let writes: [[UInt8]] = [
                // Bytes, text, JSON, another version, an unknown kind, a kind of a peripheral, and half a
                // header.
                [], [1], Array("21.5".utf8), Array("{\"a\":1}".utf8), [0x21] + header,
                [0x10] + header, [0x18] + header, [0x11, 0, 0, 0, 0, 0, 0, 1],
            ]
            for bytes in writes {
                await #expect(throws: CentralError.refused(0x82), "\(bytes)") {
                    try await caller.central.write(bytes, to: Probe.uuid("value"))
                }
            }
            let fetch = Message(kind: .fetch, session: 1, call: 1, body: Data())
            for frame in try caller.frames(of: fetch, for: "value") {
                try await caller.central.write([UInt8](frame), to: Probe.uuid("value"))
            }
            #expect(stage.probe.count(of: "value") == 0)
        }
    }

    @Test("The error of a read is fetched, and the method runs once")
    func failedRead() async throws {
        try await ServingStage.play { stage in
            let caller = try await stage.caller()
            await #expect(throws: CentralError.refused(0x80)) {
                try await caller.central.read(Probe.uuid("fail"))
            }
            try await caller.send(.fetch, "fail")
            #expect(try await caller.next("fail").kind == .failure)
            #expect(stage.probe.count(of: "fail") == 1)
        }
    }

    @Test("A read of a method that takes 6 s is refused within 100 ms and fetched after 6 s")
    func slowRead() async throws {
        try await ServingStage.play { stage in
            let caller = try await stage.caller()
            let start = stage.world.clock.now
            await #expect(throws: CentralError.refused(0x81)) {
                try await caller.central.read(Probe.uuid("slow"))
            }
            let refusal = start.duration(to: stage.world.clock.now)
            #expect(refusal < .milliseconds(100))
            try await caller.send(.fetch, "slow")
            #expect(try await caller.next("slow").body == Data("6".utf8))
            let end = start.duration(to: stage.world.clock.now)
            #expect(end > .seconds(5.9) && end < .seconds(6.5))
            #expect(stage.probe.count(of: "slow") == 1)
        }
    }

    @Test("A central that leaves during a method of 6 s does not end bluetoothd")
    func leavesDuringRead() async throws {
        try await ServingStage.play(.v5_66) { stage in
            let server = GATTServer(mainLoop: stage.world.mainLoop)
            let losses = SharedCount()
            server.onStateChange = { if $0 == .serviceNotRunning { losses.increment() } }
            server.start()
            let caller = try await stage.caller()
            async let report = caller.central.play([.read(Probe.uuid("slow"))])
            try await stage.wait(.seconds(1))
            caller.central.leaveRange()
            _ = try? await report
            try await stage.wait(.seconds(10))
            #expect(losses.value == 0)
        }
    }

    @Test("A call is answered at every MTU", arguments: ServingStage.kinds, [23, 185, 517])
    func framed(kind: SimulatedBlueZVersion, mtu: Int) async throws {
        try await ServingStage.play(kind) { stage in
            let caller = try await stage.caller(["echo", "fail"], mtu: mtu)
            for length in [1, 3, 4, 5, 17, 200, 1000, 1500] {
                let body = "[\(String(repeating: "1", count: length))]"
                #expect(try await caller.call("echo", body) == Answer(.value, body))
            }
            let lengths = caller.central.values(of: Probe.uuid("echo")).map(\.count)
            #expect(lengths.max() == min(512, mtu - 3))
            #expect(try await caller.call("fail").kind == .failure)
            #expect(try await caller.call("echo", "x") == .refusal(.invalidArguments))
        }
    }

    @Test("Two concurrent centrals receive their own replies", arguments: ServingStage.kinds)
    func twoCentrals(kind: SimulatedBlueZVersion) async throws {
        try await ServingStage.play(kind) { stage in
            let first = try await stage.caller(["echo"], session: 1, mtu: 23)
            let second = try await stage.caller(["echo"], session: 2)
            for number in 0..<10 {
                let one = "[1,\(number),\"\(String(repeating: "a", count: 100))\"]"
                let other = "[2,\(number)]"
                let call = try await first.send(.call, "echo", one)
                #expect(try await second.call("echo", other) == Answer(.value, other))
                #expect(Answer(try await first.next("echo"), call) == Answer(.value, one))
            }
        }
    }

    @Test("A session number of another central gets no reply where BlueZ notifies all")
    func sameSession() async throws {
        try await ServingStage.play(.v5_66) { stage in
            let first = try await stage.caller(["echo"])
            #expect(try await first.call("echo") == Answer(.value, "[]"))
            let second = try await stage.caller(["echo"])
            try await second.send(.call, "echo")
            try await stage.wait(.seconds(1))
            #expect(second.central.values(of: Probe.uuid("echo")).isEmpty)
            #expect(stage.probe.count(of: "echo") == 1)
            // Its session is free when its central leaves.
            try await first.central.leave()
            try await stage.wait(.seconds(1))
            #expect(try await second.call("echo") == Answer(.value, "[]"))
        }
        try await ServingStage.play(.v5_86) { stage in
            let first = try await stage.caller(["echo"])
            let second = try await stage.caller(["echo"])
            #expect(try await first.call("echo", "[1]") == Answer(.value, "[1]"))
            #expect(try await second.call("echo", "[2]") == Answer(.value, "[2]"))
        }
    }

    @Test("The calls of one central run one after the other, and a cancelled call frees its place")
    func order() async throws {
        try await ServingStage.play { stage in
            let caller = try await stage.caller()
            let slow = try await caller.send(.call, "wait")
            let echo = try await caller.send(.call, "echo", "[1]")
            try await stage.wait(.seconds(1))
            #expect(stage.probe.allCalls == ["wait"])
            try await caller.send(.cancel, "wait", call: slow)
            #expect(Answer(try await caller.next("echo"), echo) == Answer(.value, "[1]"))
            #expect(stage.probe.cancelledCalls.value == 1)
            try await stage.wait(.seconds(10))
            #expect(caller.central.values(of: Probe.uuid("wait")).isEmpty)
        }
    }

    @Test("A call without an answer runs")
    func withoutAnswer() async throws {
        try await ServingStage.play { stage in
            let caller = try await stage.caller()
            try await caller.send(.call, "echo", flags: .needsNoReply)
            try await stage.wait(for: "call") { stage.probe.count(of: "echo") == 1 }
            try await stage.wait(.seconds(1))
            #expect(caller.central.values(of: Probe.uuid("echo")).isEmpty)
        }
    }

    @Test("A repeated call runs once")
    func doubled() async throws {
        try await ServingStage.play { stage in
            let caller = try await stage.caller()
            try await caller.send(.call, "echo", call: 9)
            try await caller.send(.call, "echo", call: 9)
            #expect(try await caller.call("echo", "[3]").isOfCall == false)
            #expect(try await caller.next("echo").body == Data("[3]".utf8))
            #expect(stage.probe.count(of: "echo") == 2)
        }
    }

    @Test("65 calls wait or run, and the next one is refused", arguments: ServingStage.kinds)
    func busy(kind: SimulatedBlueZVersion) async throws {
        try await ServingStage.play(kind) { stage in
            let caller = try await stage.caller(["echo", "wait"])
            try await caller.send(.call, "wait")
            for _ in 0..<64 { try await caller.send(.call, "echo") }
            #expect(try await caller.call("echo") == .refusal(.busy))
            #expect(stage.probe.count(of: "echo") == 0)
            for _ in 0..<64 { #expect(try await caller.next("echo").kind == .value) }
            #expect(try await caller.call("echo") == Answer(.value, "[]"))
        }
    }

    @Test("A central that leaves cancels its calls within a second", arguments: ServingStage.kinds)
    func left(kind: SimulatedBlueZVersion) async throws {
        try await ServingStage.play(kind) { stage in
            let caller = try await stage.caller()
            try await caller.send(.call, "wait")
            try await caller.send(.call, "echo")
            try await stage.wait(for: "call") { stage.probe.count(of: "wait") == 1 }
            try await caller.central.leave()
            try await stage.wait(.seconds(1))
            #expect(stage.probe.cancelledCalls.value == 1)
            try await caller.central.connect()
            try await caller.central.subscribe(to: Probe.uuid("echo"))
            #expect(try await caller.call("echo") == Answer(.value, "[]"))
            #expect(stage.probe.count(of: "echo") == 1)
        }
    }

    @Test("A result longer than a message is refused, and an error contains no value")
    func tooLong() async throws {
        try await ServingStage.play(.v5_86) {
            $0.maximumMessageSize = 1000
        } _: { stage in
            let caller = try await stage.caller()
            #expect(try await caller.call("long") == .refusal(.tooLong))
            #expect(try await caller.call("echo") == Answer(.value, "[]"))
        }
    }

    @Test(
        "Calls of a central that does not read the replies are dropped, and the next call works"
    )
    func overflow() async throws {
        try await ServingStage.play(.v5_86) {
            $0.maximumMessageSize = 100_000
        } _: { stage in
            let caller = try await stage.caller()
            try await caller.send(.call, "wait")
            for _ in 0..<30 { try await caller.send(.call, "large") }
            try stage.world.perform { $0.apply(.daemonFrozen(for: .seconds(20))) }
            try await stage.wait(.seconds(15))
            let count = stage.probe.count(of: "large")
            #expect(count > 3 && count < 10)
            try await stage.wait(.seconds(10))
            #expect(stage.probe.count(of: "large") == count)
            #expect(try await caller.call("echo") == Answer(.value, "[]"))
        }
    }
}
