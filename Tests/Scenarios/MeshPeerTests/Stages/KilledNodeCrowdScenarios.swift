import BluejayCore
import Foundation
import MeshPeer
import Staging
import TestSupport
import Testing

@Suite(
    "A killed node among foreign nodes",
    .timeLimit(.minutes(10)),
    .enabled(if: isRealBlueZ, "the simulated BlueZ has no foreign stack")
)
struct KilledNodeCrowdScenarios {
    @Test("The peers of a killed program are peers of the next one, without a scan")
    func killed() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let nodes = [
                try await context.meshNode(1, identity: [1]),
                try await context.meshNode(2, identity: [2]),
            ]
            let folder = FileManager.default.temporaryDirectory
                .appending(path: "mesh-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            let first = try await context.meshProgram(["--scan", "--advertise"], folder)
            for node in nodes { try await first.wait(for: "connected \(node.uuid)") }
            _ = await first.end(SIGKILL)
            for node in nodes { #expect(try await node.isConnected()) }
            let second = try await context.meshProgram(["--advertise"], folder)
            for node in nodes {
                try await second.wait(for: "connected \(node.uuid)")
                try await node.notify([[7]])
                try await second.wait(for: "value \(node.uuid) [7]")
                #expect(try await node.writtenValues(1) == [[7]])
            }
            #expect(!second.lines.contains { $0.hasPrefix("scanning") }, "\(second.lines)")
            _ = await second.end(SIGKILL)
        }
    }
}
