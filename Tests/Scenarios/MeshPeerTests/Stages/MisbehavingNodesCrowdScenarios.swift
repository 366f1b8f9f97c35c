import BluejayCore
import Foundation
import MeshPeer
import Staging
import TestSupport
import Testing

@Suite(
    "A node among foreign nodes that misbehave",
    .timeLimit(.minutes(10)),
    .enabled(if: isRealBlueZ, "the simulated BlueZ has no foreign stack")
)
struct MisbehavingNodesCrowdScenarios {
    @Test(
        "A node without ID or with an identity of 512 bytes is released; an empty one is accepted"
    )
    func identities() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let without = try await context.meshNode(1, identity: [1], omits: ["ID"])
            let long = try await context.meshNode(2, identity: [UInt8](repeating: 2, count: 512))
            let empty = try await context.meshNode(3, identity: [])
            try await context.play { node in
                try await node.start()
                try await node.wait(for: .notAPeer(without.uuid))
                try await node.wait(for: .notAPeer(long.uuid))
                try await node.waitForPeers([empty.uuid])
                for other in [without, long] {
                    try await wait { try await !other.isConnected() }
                    #expect(node.count(.notAPeer(other.uuid)) == 1)
                }
                #expect(node.central.identity(of: empty.uuid) == Data())
            }
        }
    }

    @Test("A flooding node does not slow down another one, and its values keep their order")
    func flood() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let flooding = try await context.meshNode(4, identity: [4], .floods)
            let playing = try await context.meshNode(5, identity: [5])
            try await context.play { node in
                try await node.start()
                try await node.waitForPeers([flooding.uuid, playing.uuid])
                try await Self.exchange(node, playing)
                try await wait { node.inbox.values(from: flooding.uuid).count > 1000 }
                let numbers = node.inbox.values(from: flooding.uuid).map {
                    UInt32($0[0]) | UInt32($0[1]) << 8 | UInt32($0[2]) << 16
                }
                #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
            }
        }
    }

    @Test("A silent node is not a peer, and does not slow down another one")
    func silence() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let silent = try await context.meshNode(8, identity: [8], .silent)
            let playing = try await context.meshNode(9, identity: [9])
            try await context.play { node in
                try await node.start()
                try await wait { try await silent.isConnected() }
                try await node.waitForPeers([playing.uuid])
                try await Self.exchange(node, playing)
                // The attempt times out.
                try await silent.setAdvertising(false)
                try await wait { try await !silent.isConnected() }
                #expect(node.central.connectedPeers == [playing.uuid])
            }
        }
    }

    private static func exchange(_ node: StageNode, _ other: BumbleMeshNode) async throws {
        let values = numbered(100)
        async let notifying: Void = other.notify(values)
        try await node.send(values, to: other.uuid)
        #expect(try await other.writtenValues(100) == values)
        try await notifying
        try await node.expect(values, from: other.uuid)
    }

    @Test("Two thousand commands of a foreign node arrive in order")
    func manyWrites() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let other = try await context.meshNode(7, identity: [7], advertises: false)
            try await context.play { node in
                try await node.start()
                try await other.connect()
                let values = (0..<2000).map { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
                try await other.write(values, isAnswered: false)
                try await node.expect(values, from: other.uuid)
            }
        }
    }
}
