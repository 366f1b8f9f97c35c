import BluejayCore
import Foundation
import MeshPeer
import Staging
import TestSupport
import Testing

@Suite(
    "A node among foreign nodes",
    .timeLimit(.minutes(10)),
    .enabled(if: isRealBlueZ, "the simulated BlueZ has no foreign stack")
)
struct ForeignNodesCrowdScenarios {
    @Test("Three foreign nodes become peers, and exchange 100 values each way on each link")
    func valuesEachWay() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let waiting = try await context.meshNode(1, identity: [1])
            let dialling = try await context.meshNode(2, identity: [2], advertises: false)
            let both = try await context.meshNode(3, identity: [3])
            let nodes = [waiting, dialling, both]
            try await context.play { node in
                node.peripheral.startAdvertising()
                try await node.wait(for: .advertising(true))
                // The other node opened this link, which carries both roles.
                #expect(try await dialling.connect() == [0xA0])
                try await dialling.setAdvertising(true)
                node.central.startScanning()
                try await node.waitForPeers(nodes.map(\.uuid))
                #expect(try await both.connect() == [0xA0])
                for (number, other) in nodes.enumerated() {
                    #expect(node.central.identity(of: other.uuid) == Data([UInt8(number + 1)]))
                    #expect(
                        node.count(.connected(other.uuid, identity: Data([UInt8(number + 1)]))) == 1
                    )
                }
                // BlueZ 5.66 cannot notify a single central of several.
                #expect(
                    node.peripheral.sendNotification(to: dialling.uuid, data: Data([1]))
                        == .notAddressable
                )
                let values = numbered(100)
                for other in nodes {
                    async let notifying: Void = other.notify(values)
                    try await node.send(values, to: other.uuid)
                    #expect(try await other.writtenValues(100) == values)
                    try await notifying
                    try await node.expect(values, from: other.uuid)
                }
                for other in [dialling, both] {
                    try await other.write(values)
                    try await node.expect(values, from: other.uuid, after: 100)
                }
                #expect(!node.events.contains { if case .writeFailed = $0 { true } else { false } })
            }
        }
    }

    @Test("The identity rotates, and a foreign subscriber stays subscribed")
    func rotation() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let other = try await context.meshNode(4, identity: [4])
            try await context.play { node in
                try await node.start()
                try await node.waitForPeers([other.uuid])
                #expect(try await other.connect() == [0xA0])
                try await node.wait(for: .subscribed(other.uuid))
                node.peripheral.setIdentityProvider { Data([0xA1, 0xA2]) }
                node.peripheral.setRotationInterval(2)
                try await node.wait(for: .advertising(true), count: 3)
                node.peripheral.setRotationInterval(0)
                #expect(try await other.readIdentity() == [0xA1, 0xA2])
                #expect(node.count(.unsubscribed(other.uuid)) == 0)
                #expect(
                    node.peripheral.sendNotification(to: other.uuid, data: Data([9])) == .queued
                )
                #expect(try await other.receivedValues(1) == [[9]])
                // The other node rotates, too.
                try await other.rotate(to: [0x44])
                try await other.notify([[5]])
                try await node.expect([[5]], from: other.uuid)
                #expect(node.central.connectedPeers == [other.uuid])
            }
        }
    }

    @Test("A node that leaves or vanishes is lost once, and returns", arguments: [false, true])
    func goneAndBack(vanishes: Bool) async throws {
        try await withTestbed(variant: "\(vanishes)", on: .multiplePeers) { context in
            let leaving = try await context.meshNode(5, identity: [5])
            let staying = try await context.meshNode(6, identity: [6])
            try await context.play { node in
                try await node.start()
                try await node.waitForPeers([leaving.uuid, staying.uuid])
                if vanishes {
                    try await leaving.setAdvertising(false)
                    try await leaving.loseLink()
                } else {
                    try await leaving.leaveRange()
                }
                try await node.waitForPeers([staying.uuid])
                try await leaving.returnToRange()
                try await node.waitForPeers([leaving.uuid, staying.uuid])
                let lost = node.events.filter {
                    if case .lost = $0 { true } else { false }
                }
                #expect(lost.count == 1, "\(node.events)")
                for other in [leaving, staying] {
                    try await node.send([[1]], to: other.uuid)
                    #expect(try await other.writtenValues(1) == [[1]])
                    try await other.notify([[2]])
                    try await node.expect([[2]], from: other.uuid)
                }
            }
        }
    }

    @Test(
        "All roles return after a power cycle and after a killed bluetoothd",
        arguments: ["off", "killed"]
    )
    func bluetoothReturns(way: String) async throws {
        try await withTestbed(variant: way, on: .multiplePeers) { context in
            let waiting = try await context.meshNode(7, identity: [7])
            let dialling = try await context.meshNode(8, identity: [8])
            let peers = [waiting.uuid, dialling.uuid]
            try await context.play { node in
                try await node.start()
                try await node.waitForPeers(peers)
                try await dialling.connect()
                try await node.wait(for: .subscribed(dialling.uuid))
                if way == "off" {
                    try await context.testbed.setPowered(false)
                } else {
                    try await context.testbed.endDaemon(politely: false)
                }
                try await node.waitForPeers([])
                for peer in peers { try await node.wait(for: .lost(peer, nil)) }
                try await node.wait(for: .advertising(false))
                try await node.wait(for: .unsubscribed(dialling.uuid))
                if way == "off" {
                    try await context.testbed.setPowered(true)
                } else {
                    try await context.testbed.startDaemon()
                }
                try await node.waitForPeers(peers)
                try await node.wait(for: .advertising(true), count: 2)
                #expect(try await dialling.connect() == [0xA0])
                for peer in peers {
                    #expect(node.count(.lost(peer, nil)) == 1, "\(node.events)")
                }
                try await dialling.write([[1]])
                try await node.expect([[1]], from: dialling.uuid)
                try await waiting.notify([[2]])
                try await node.expect([[2]], from: waiting.uuid)
                try await node.send([[3]], to: waiting.uuid)
                #expect(try await waiting.writtenValues(1) == [[3]])
            }
        }
    }
}
