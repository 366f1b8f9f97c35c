import BluejaySimulator
import Foundation
import MeshPeer
import TestTraits
import Testing

@Suite("Power and bluetoothd", .timeLimit(.minutes(15)))
struct FaultTests {
    @Test(
        "A power cycle ends each activity once, after the state is reported, and restores it",
        arguments: MeshStageKind.all
    )
    func power(kind: MeshStageKind) async throws {
        try await MeshStage.play(kind, adapters: 2) { stage in
            let nodes = try await stage.connectedNodes(2)
            let node = nodes[0]
            try await stage.wait(for: "subscriber") { !node.peripheral.subscribedCentrals.isEmpty }
            node.events.clear()
            try stage.setPowered(false, 0)
            try await stage.wait(for: "end") {
                !node.peripheral.isAdvertising && node.central.connectedPeers.isEmpty
            }
            try await stage.wait(.seconds(60))
            let events = node.events.all
            #expect(events.filter { $0 == .stateChanged(.poweredOff) }.count == 2)
            #expect(events.filter { $0 == .lost(nodeID(1), nil) }.count == 1)
            #expect(events.filter(\.isLoss).count == 1)
            #expect(events.filter { $0 == .advertising(false) }.count == 1)
            #expect(events.filter { $0 == .unsubscribed(nodeID(1)) }.count == 1)
            let state = try #require(events.firstIndex { $0 == .stateChanged(.poweredOff) })
            let loss = try #require(events.firstIndex { $0.isLoss })
            #expect(state < loss)
            try stage.setPowered(true, 0)
            try await stage.wait(for: "peers") {
                node.central.connectedPeers == [nodeID(1)]
                    && nodes[1].central.connectedPeers == [nodeID(0)]
                    && node.peripheral.isAdvertising
            }
        }
    }

    @Test("A restarted bluetoothd gets the scan, the advertisement and the peers back")
    func restart() async throws {
        try await MeshStage.play(adapters: 2) { stage in
            let nodes = try await stage.connectedNodes(2)
            for (count, isKilled) in [true, false].enumerated() {
                for node in nodes { node.events.clear() }
                try stage.perform { $0.apply(isKilled ? .daemonKilled : .daemonTerminated) }
                try await stage.wait(.seconds(3))
                for node in nodes {
                    #expect(node.central.connectedPeers == [])
                    #expect(!node.peripheral.isAdvertising)
                    #expect(node.count(\.isLoss) == 1)
                }
                try stage.perform { $0.apply(.daemonStarted) }
                for node in nodes {
                    try await stage.wait(for: "peers of node \(node.number)") {
                        node.central.connectedPeers == [nodeID(1 - node.number)]
                            && node.peripheral.isAdvertising
                    }
                    let peer = nodeID(1 - node.number)
                    #expect(node.central.sendData(to: peer, data: Data([9])) == .queued)
                }
                for node in nodes {
                    try await stage.wait(for: "values") { node.inbox.count == count + 1 }
                }
            }
        }
    }

    @Test(
        "A connection succeeds even if bluetoothd is killed in any of its steps",
        .fault(.daemonKilled, during: .connect, .discovery)
    )
    func killedInEachStep() async throws {
        for step in 0..<25 {
            try await MeshStage.play(adapters: 2) { stage in
                let nodes = try (0..<2).map { try Node($0, in: stage.world) }
                for node in nodes { node.start() }
                try await stage.wait(.milliseconds(80 * step))
                try stage.perform { $0.apply(.daemonKilled) }
                try await stage.wait(.milliseconds(500))
                try stage.perform { $0.apply(.daemonStarted) }
                for node in nodes {
                    try await stage.wait(for: "peers of node \(node.number), step \(step)") {
                        node.central.connectedPeers == [nodeID(1 - node.number)]
                    }
                }
                for node in nodes where node.central.connectedPeers.isEmpty {
                    let isAdvertising = node.peripheral.isAdvertising
                    let events = node.events.all.map { "\($0)" }.joined(separator: "\n")
                    Issue.record("node \(node.number), advertising: \(isAdvertising)\n\(events)")
                }
            }
        }
    }

    @Test(
        "A refused advertisement or service is reported, and advertised once it is accepted",
        arguments: ["RegisterAdvertisement", "RegisterApplication"]
    )
    func refused(call: String) async throws {
        try await MeshStage.play(adapters: 1) { stage in
            let name = "org.bluez.Error.Failed"
            try stage.perform { $0.apply(.callsRefused(call, name: name, text: "refused")) }
            let node = try Node(0, in: stage.world)
            node.peripheral.startAdvertising()
            try await stage.wait(for: "report") {
                node.count { if case .advertisingFailed = $0 { true } else { false } } > 0
            }
            #expect(!node.peripheral.isAdvertising)
            try stage.perform { $0.apply(.callsReleased(call)) }
            try await stage.wait(for: "advertisement") { node.peripheral.isAdvertising }
        }
    }

    @Test("A machine without an adapter is reported, and calls have no effect")
    func noAdapter() async throws {
        try await MeshStage.play(adapters: 0) { stage in
            let node = try Node(0, in: stage.world)
            node.start()
            try await stage.wait(for: "state") {
                node.events.all.contains(.stateChanged(.adapterNotFound("hci0")))
            }
            #expect(
                node.bridge.sendBlePacket(peerId: nodeID(1).uuidString, data: Data())
                    == .unknownPeer
            )
            #expect(node.bridge.sendBlePacket(peerId: "somebody", data: Data()) == .unknownPeer)
            node.central.stopScanning()
            node.peripheral.stopAdvertising()
            await #expect(throws: BluejayError.self) {
                try await node.bridge.l2cap.openChannel(to: nodeID(1))
            }
        }
    }
}
