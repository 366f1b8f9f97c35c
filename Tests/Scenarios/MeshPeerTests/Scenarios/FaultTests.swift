import BluejaySimulator
import Foundation
import MeshPeer
import Testing

@Suite("Power and bluetoothd", .timeLimit(.minutes(15)))
struct FaultTests {
    @Test(
        "A power cycle ends each activity once, after the state is reported, and restores it",
        arguments: RoomKind.all
    )
    func power(kind: RoomKind) async throws {
        try await MeshRoom.play(kind, adapters: 2) { room in
            let nodes = try await room.connectedNodes(2)
            let node = nodes[0]
            try await room.wait(for: "subscriber") { !node.peripheral.subscribedCentrals.isEmpty }
            node.events.clear()
            try room.setPowered(false, 0)
            try await room.wait(for: "end") {
                !node.peripheral.isAdvertising && node.central.connectedPeers.isEmpty
            }
            try await room.wait(.seconds(60))
            let events = node.events.all
            #expect(events.filter { $0 == .stateChanged(.poweredOff) }.count == 2)
            #expect(events.filter { $0 == .lost(nodeID(1), nil) }.count == 1)
            #expect(events.filter(\.isLoss).count == 1)
            #expect(events.filter { $0 == .advertising(false) }.count == 1)
            #expect(events.filter { $0 == .unsubscribed(nodeID(1)) }.count == 1)
            let state = try #require(events.firstIndex { $0 == .stateChanged(.poweredOff) })
            let loss = try #require(events.firstIndex { $0.isLoss })
            #expect(state < loss)
            try room.setPowered(true, 0)
            try await room.wait(for: "peers") {
                node.central.connectedPeers == [nodeID(1)]
                    && nodes[1].central.connectedPeers == [nodeID(0)]
                    && node.peripheral.isAdvertising
            }
        }
    }

    @Test("A restarted bluetoothd gets the scan, the advertisement and the peers back")
    func restart() async throws {
        try await MeshRoom.play(adapters: 2) { room in
            let nodes = try await room.connectedNodes(2)
            for (count, isKilled) in [true, false].enumerated() {
                for node in nodes { node.events.clear() }
                try room.perform { $0.apply(isKilled ? .daemonKilled : .daemonTerminated) }
                try await room.wait(.seconds(3))
                for node in nodes {
                    #expect(node.central.connectedPeers == [])
                    #expect(!node.peripheral.isAdvertising)
                    #expect(node.count(\.isLoss) == 1)
                }
                try room.perform { $0.apply(.daemonStarted) }
                for node in nodes {
                    try await room.wait(for: "peers of node \(node.number)") {
                        node.central.connectedPeers == [nodeID(1 - node.number)]
                            && node.peripheral.isAdvertising
                    }
                    let peer = nodeID(1 - node.number)
                    #expect(node.central.sendData(to: peer, data: Data([9])) == .queued)
                }
                for node in nodes {
                    try await room.wait(for: "values") { node.inbox.count == count + 1 }
                }
            }
        }
    }

    @Test(
        "A connection succeeds even if bluetoothd is killed in any of its steps"
    )
    func killedInEachStep() async throws {
        for step in 0..<25 {
            try await MeshRoom.play(adapters: 2) { room in
                let nodes = try (0..<2).map { try Node($0, in: room.world) }
                for node in nodes { node.start() }
                try await room.wait(.milliseconds(80 * step))
                try room.perform { $0.apply(.daemonKilled) }
                try await room.wait(.milliseconds(500))
                try room.perform { $0.apply(.daemonStarted) }
                for node in nodes {
                    try await room.wait(for: "peers of node \(node.number), step \(step)") {
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
        try await MeshRoom.play(adapters: 1) { room in
            let name = "org.bluez.Error.Failed"
            try room.perform { $0.apply(.callsRefused(call, name: name, text: "refused")) }
            let node = try Node(0, in: room.world)
            node.peripheral.startAdvertising()
            try await room.wait(for: "report") {
                node.count { if case .advertisingFailed = $0 { true } else { false } } > 0
            }
            #expect(!node.peripheral.isAdvertising)
            try room.perform { $0.apply(.callsReleased(call)) }
            try await room.wait(for: "advertisement") { node.peripheral.isAdvertising }
        }
    }

    @Test("A machine without an adapter is reported, and calls have no effect")
    func noAdapter() async throws {
        try await MeshRoom.play(adapters: 0) { room in
            let node = try Node(0, in: room.world)
            node.start()
            try await room.wait(for: "state") {
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
