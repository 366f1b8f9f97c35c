import BluejaySimulator
import BluejayTesting
import Foundation
import Testing

@testable import Bleu

@Suite("Replies to a foreign central", .timeLimit(.minutes(15)))
struct StrangerReplyTests {
    /// Frames that would be answered if the session were the sender's: a call, a fetch, a key, a damaged frame and
    /// one of another version.
    private static func provoke(_ stranger: Caller, _ call: UInt16) async throws {
        for kind in [FrameKind.call, .fetch, .hello] {
            try await stranger.send(kind, "echo", call: call)
            try await stranger.send(kind, "wait", call: call)
        }
        let numbers = [
            UInt8(stranger.session & 0xFF), UInt8(stranger.session >> 8), UInt8(call), 0,
        ]
        for first: UInt8 in [0x11, 0xF1, 0x1E] {
            let frame = [first] + numbers + [0, 0, 0, 2, 0, 0, 0, 1, 2, 3, 4, 5, 6]
            try await stranger.central.write(frame, to: Probe.uuid("wait"))
        }
    }

    @Test(
        "A central that copies the numbers of a running call gets no reply where BlueZ notifies all"
    )
    func broadcast() async throws {
        try await ServingStage.play(.v5_66) { stage in
            let victim = try await stage.caller(["echo", "wait"])
            let stranger = try await stage.caller(["echo", "wait"])
            let call = try await victim.send(.call, "wait")
            try await stage.wait(.seconds(1))
            try await Self.provoke(stranger, call)
            try await stage.wait(.seconds(1))
            #expect(victim.central.values(of: Probe.uuid("wait")).isEmpty)
            #expect(victim.central.values(of: Probe.uuid("echo")).isEmpty)
            #expect(Answer(try await victim.next("wait"), call) == Answer(.value, "6"))
            #expect(try await victim.call("echo", "[1]") == Answer(.value, "[1]"))
        }
    }

    @Test("A foreign central cannot take a session whose first message is still being sent")
    func firstMessage() async throws {
        try await ServingStage.play(.v5_66) { stage in
            let victim = try await stage.caller(["echo"])
            let stranger = try await stage.caller(["echo"])
            var transport = BLETransport(receiving: .fromPeripheral)
            let body = Data("[\(String(repeating: "1", count: 300))]".utf8)
            let message = Message(kind: .call, session: victim.session, call: 1, body: body)
            let frames = try transport.frames(of: message, frameSize: 100).map { [UInt8]($0) }
            try await victim.central.write(frames[0], to: Probe.uuid("echo"))
            try await stranger.send(.call, "echo", "[2]", call: 1)
            try await stage.wait(.seconds(1))
            for frame in frames.dropFirst() {
                try await victim.central.write(frame, to: Probe.uuid("echo"))
            }
            #expect(try await victim.next("echo").body == body)
        }
    }

    @Test("A central whose socket BlueZ has closed by mistake causes no reply to another one")
    func closedSocket() async throws {
        try await ServingStage.play(.v5_86) { stage in
            let stranger = try await stage.caller(["echo", "wait"])
            let victim = try await stage.caller(["echo", "wait"])
            let third = try await stage.caller(["echo", "wait"], session: 3)
            try await third.central.leave()
            try await stage.wait(.seconds(2))
            // The socket of the stranger is closed: its replies are broadcast.
            let other = Caller(stranger.central, session: 5, mtu: 517)
            #expect(try await other.call("echo", "[5]") == Answer(.value, "[5]"))
            let own = victim.central.values(of: Probe.uuid("echo")).count
            #expect(own == 1)

            let call = try await victim.send(.call, "wait")
            try await stage.wait(.seconds(1))
            try await Self.provoke(stranger, call)
            try await stage.wait(.seconds(1))
            #expect(victim.central.values(of: Probe.uuid("wait")).isEmpty)
            #expect(victim.central.values(of: Probe.uuid("echo")).count == own)
            #expect(Answer(try await victim.next("wait"), call) == Answer(.value, "6"))
        }
    }

    @Test(
        "A central whose socket BlueZ has closed still receives its replies, also in a shared session"
    )
    func victimOfClosedSocket() async throws {
        try await ServingStage.play(.v5_86) { stage in
            let victim = try await stage.caller(["echo"])
            let stranger = try await stage.caller(["echo"])
            let third = try await stage.caller(["echo"], session: 3)
            #expect(try await victim.call("echo", "[1]") == Answer(.value, "[1]"))
            #expect(try await stranger.call("echo", "[2]") == Answer(.value, "[2]"))
            try await third.central.leave()
            try await stage.wait(.seconds(2))
            #expect(try await victim.call("echo", "[3]") == Answer(.value, "[3]"))
        }
    }
}
