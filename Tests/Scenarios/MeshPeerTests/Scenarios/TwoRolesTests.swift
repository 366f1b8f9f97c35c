import BluejaySimulator
import Foundation
import MeshPeer
import Testing

@Suite("Nodes that are central and peripheral", .timeLimit(.minutes(15)))
struct TwoRolesTests {
    @Test(
        "Three nodes find each other, connect in both roles and exchange values",
        arguments: MeshStageKind.all
    )
    func threeNodes(kind: MeshStageKind) async throws {
        try await MeshStage.play(kind) { stage in
            let nodes = try await stage.connectedNodes(3)
            for node in nodes {
                for other in nodes where other.number != node.number {
                    let peer = nodeID(other.number)
                    #expect(node.central.identity(of: peer) == Data([UInt8(other.number)]))
                    for value in 0..<20 {
                        let data = Data([UInt8(node.number), UInt8(value)])
                        #expect(node.central.sendData(to: peer, data: data) == .queued)
                    }
                }
            }
            for node in nodes {
                try await stage.wait(for: "values of node \(node.number)") {
                    node.inbox.count == 40
                }
                for other in nodes where other.number != node.number {
                    #expect(
                        node.inbox.values(from: nodeID(other.number))
                            == (0..<20).map { Data([UInt8(other.number), $0]) }
                    )
                }
            }
        }
    }
}
