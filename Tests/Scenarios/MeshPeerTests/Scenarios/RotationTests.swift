import BluejaySimulator
import Foundation
import MeshPeer
import Synchronization
import Testing

private let address = "C0:00:00:00:00:01"

/// Tests `MeshAdvertiser`.
@Suite("Rotation", .timeLimit(.minutes(15)))
struct RotationTests {
    @Test(
        "Every 900 s the provider is called, ID changes and the subscriber stays",
        arguments: MeshStageKind.all
    )
    func rotation(kind: MeshStageKind) async throws {
        try await MeshStage.play(kind, adapters: 1) { stage in
            let node = try Node(0, in: stage.world)
            let asked = Log<Int>()
            node.peripheral.setIdentityProvider {
                asked.append(1)
                return Data([100 + UInt8(asked.all.count)])
            }
            node.peripheral.startAdvertising()
            try await stage.wait(for: "advertisement") { node.peripheral.isAdvertising }
            try await stage.play([.connect, .subscribe(rxUUID)], as: address)
            try await stage.wait(for: "subscriber") { !node.peripheral.subscribedCentrals.isEmpty }
            try await stage.wait(.seconds(890))
            let identity1 = try await stage.play([.read(idUUID)], as: address)
            #expect(identity1 == [0])
            #expect(asked.all.isEmpty)
            try await stage.wait(.seconds(20))
            let identity2 = try await stage.play([.read(idUUID)], as: address)
            #expect(identity2 == [101])
            try await stage.wait(.seconds(900))
            let identity3 = try await stage.play([.read(idUUID)], as: address)
            #expect(identity3 == [102])
            #expect(node.peripheral.isAdvertising)
            #expect(node.count { $0 == .subscribed(deviceID(address)) } == 1)
            #expect(node.count { $0 == .unsubscribed(deviceID(address)) } == 0)
            #expect(node.count { $0 == .advertising(true) } == 3)
            let central = deviceID(address)
            #expect(node.peripheral.sendNotification(to: central, data: Data([7])) == .queued)
            try await stage.play([.expect(rxUUID)], as: address)
        }
    }

    @Test("A new interval counts from now on, and 0 ends the rotation")
    func interval() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            let node = try Node(0, in: stage.world)
            let asked = Log<Int>()
            node.peripheral.setIdentityProvider {
                asked.append(1)
                return Data(count: 25)
            }
            node.peripheral.startAdvertising()
            try await stage.wait(.seconds(800))
            node.peripheral.setRotationInterval(60)
            try await stage.wait(.seconds(59))
            #expect(asked.all.isEmpty)
            try await stage.wait(.seconds(2))
            #expect(asked.all.count == 1)
            let identity4 = try await stage.play([.connect, .read(idUUID)], as: address)
            #expect(identity4 == [0])
            node.peripheral.setRotationInterval(0)
            try await stage.wait(.seconds(4_000))
            #expect(asked.all.count == 1)
        }
    }
}
