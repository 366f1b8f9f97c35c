import BluejayTesting
import Foundation
import MeshPeer
import Testing

@Suite("Mesh nodes survive every fault at every message", .timeLimit(.minutes(15)))
struct EveryFaultTests {
    private static let device = "C0:00:00:00:00:01"

    @Test(
        "A node that sends a value to a peer and receives another",
        .simulatedBlueZ { $0.add(simulatedNode(device)) },
        .everyFault
    )
    func peer() async throws {
        let world = try TestWorld.current
        let node = try Node(0, in: world)
        let peer = deviceID(Self.device)
        node.central.startScanning()
        // The node connects as soon as it discovers the peer.
        for _ in 0..<120 where node.central.connectedPeers.isEmpty {
            try await world.clock.sleep(for: .milliseconds(500))
        }
        _ = node.central.sendData(to: peer, data: Data([1]))
        try world.perform { $0.device(Self.device)?.send([2], on: rxUUID) }
        try await world.clock.sleep(for: .seconds(2))
        #expect(node.inbox.values(from: peer) == [Data([2])])
        node.central.stopScanning()
    }
}
