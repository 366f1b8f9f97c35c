import BluejaySimulator
import Foundation
import MeshPeer
import Testing

private let address = "C0:00:00:00:00:01"
private let device = deviceID(address)

/// Tests `PeerConnections`.
@Suite("Peers", .timeLimit(.minutes(15)))
struct PeerTests {
    @Test("A node whose program starts later than its advertisement becomes a peer")
    func lateService() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            try stage.perform { world in
                let service = MeshBLEConstants.serviceUUID.uuidString
                world.add(SimulatedDevice(address: address, advertising: [service]))
            }
            let node = try Node(0, in: stage.world)
            node.central.startScanning()
            try await stage.wait(for: "opinion") { node.count { $0 == .notAPeer(device) } == 1 }
            try await stage.wait(.seconds(4))
            try stage.perform { world in
                let service = MeshBLEConstants.serviceUUID.uuidString
                world.device(address)?.addService(
                    service,
                    [
                        ScriptedCharacteristic(txUUID, ["write"], .value([])),
                        ScriptedCharacteristic(rxUUID, ["notify"], .value([])),
                        ScriptedCharacteristic(idUUID, ["read"], .value([9])),
                    ]
                )
            }
            try await stage.wait(.seconds(80))
            #expect(node.central.connectedPeers == [device])
        }
    }

    @Test("A device without ID is reported once and released during the scan")
    func strangers() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            try stage.perform { $0.add(simulatedNode(address, identity: nil)) }
            let node = try Node(0, in: stage.world)
            node.central.startScanning()
            try await stage.wait(.seconds(100))
            #expect(node.count { $0 == .notAPeer(device) } == 1)
            let isConnected = try stage.perform { $0.device(address)?.isConnected }
            #expect(isConnected == false)
            node.central.stopScanning()
            node.central.startScanning()
            try await stage.wait(for: "second report") {
                node.count { $0 == .notAPeer(device) } == 2
            }
        }
    }

    @Test("A device whose TX cannot be written is not a peer")
    func unwritable() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            try stage.perform { world in
                let service = MeshBLEConstants.serviceUUID.uuidString
                let device = SimulatedDevice(address: address, advertising: [service])
                device.addService(
                    service,
                    [
                        ScriptedCharacteristic(txUUID, ["read"], .value([])),
                        ScriptedCharacteristic(rxUUID, ["notify"], .value([])),
                        ScriptedCharacteristic(idUUID, ["read"], .value([9])),
                    ]
                )
                world.add(device)
            }
            let node = try Node(0, in: stage.world)
            node.central.startScanning()
            try await stage.wait(for: "opinion") {
                node.count { $0 == .notAPeer(device) } + node.central.connectedPeers.count == 1
            }
            #expect(node.central.connectedPeers == [])
        }
    }

    @Test(
        "An identity of 0 to 24 bytes is valid, and a longer one is rejected",
        arguments: [0, 1, 24, 25, 512]
    )
    func identities(length: Int) async throws {
        try await MeshStage.play(adapters: 1) { stage in
            let identity = [UInt8](repeating: 7, count: length)
            try stage.perform { $0.add(simulatedNode(address, identity: .value(identity))) }
            let node = try Node(0, in: stage.world)
            node.central.startScanning()
            try await stage.wait(for: "decision") {
                node.count { $0 == .notAPeer(device) } + node.central.connectedPeers.count == 1
            }
            #expect(node.central.connectedPeers == (length <= 24 ? [device] : []))
            #expect(node.central.identity(of: device) == (length <= 24 ? Data(identity) : nil))
        }
    }

    @Test("A device that copies the identity of a node does not displace the node")
    func copiedIdentity() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            let copy = "C0:00:00:00:00:02"
            try stage.perform { $0.add(simulatedNode(copy)) }
            let node = try Node(0, in: stage.world)
            node.central.startScanning()
            try await stage.wait(for: "copy") { node.central.connectedPeers == [deviceID(copy)] }
            try stage.perform { $0.add(simulatedNode(address)) }
            try await stage.wait(.seconds(80))
            #expect(node.central.connectedPeers == [deviceID(copy), device])
            #expect(node.central.identity(of: device) == node.central.identity(of: deviceID(copy)))
        }
    }

    @Test("At most five peers are held; the sixth is connected when one leaves")
    func limit() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            try stage.perform { world in
                for number: UInt8 in 1...6 {
                    world.add(
                        simulatedNode("C0:00:00:00:00:0\(number)", identity: .value([number]))
                    )
                }
            }
            let node = try Node(0, in: stage.world)
            node.central.startScanning()
            try await stage.wait(for: "five peers") { node.central.connectedPeers.count == 5 }
            try await stage.wait(.seconds(60))
            #expect(node.count(\.isConnection) == 5)
            let first = try #require(node.central.connectedPeers.first)
            try stage.perform { world in
                for number in 1...6 {
                    let address = "C0:00:00:00:00:0\(number)"
                    if deviceID(address) == first { world.device(address)?.leaveRange() }
                }
            }
            try await stage.wait(for: "sixth peer") { node.count(\.isConnection) == 6 }
            #expect(node.central.connectedPeers.count == 5)
        }
    }

    @Test(
        "A device with a pending request is released, and others connect meanwhile",
        arguments: ["dial", "subscribe", "identity", "silence"]
    )
    func faults(step: String) async throws {
        try await MeshStage.play(adapters: 1) { stage in
            let silent: ScriptedBehavior = step == "silence" ? .disconnects : .neverReplies
            try stage.perform { world in
                let device = simulatedNode(
                    address,
                    identity: ["identity", "silence"].contains(step) ? silent : .value([1]),
                    rx: .value([])
                )
                world.add(device)
                if step == "dial" { device.stopResponding() }
                if step == "subscribe" { device.hold(.subscription, of: rxUUID) }
                world.add(simulatedNode("C0:00:00:00:00:02", identity: .value([2])))
            }
            let node = try Node(0, in: stage.world)
            node.central.startScanning()
            try await stage.wait(for: "other device") {
                node.central.connectedPeers == [deviceID("C0:00:00:00:00:02")]
            }
            try await stage.wait(.seconds(100))
            #expect(node.count(\.isConnection) == 1)
            try stage.perform { world in
                world.device(address)?.release(.subscription, of: rxUUID)
                world.device(address)?.setBehavior(.value([1]), of: idUUID)
                world.device(address)?.returnToRange()
            }
            try await stage.wait(for: "device that answers") {
                node.central.connectedPeers.contains(device)
            }
        }
    }

    @Test("A peer that drops its link is lost once, and reconnects at its next advertisement")
    func drop() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            try stage.perform { $0.add(simulatedNode(address)) }
            let node = try Node(0, in: stage.world)
            node.central.applyScanSettings(intervalMs: 0)
            node.central.startScanning()
            for count in 1...5 {
                try await stage.wait(for: "connection \(count)") {
                    node.count(\.isConnection) == count && node.central.connectedPeers == [device]
                }
                try stage.perform { $0.device(address)?.dropLink() }
                try await stage.wait(for: "loss \(count)") { node.count(\.isLoss) == count }
            }
        }
    }

    @Test("A peer that drops each link at once is dialled rarely, and the state is saved rarely")
    func dropsAtOnce() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: folder) }
            var settings = BLECentralManager.Settings()
            settings.restoreIdentifier = "mesh"
            settings.stateDirectory = folder
            settings.scanPause = .zero
            try stage.perform { $0.add(simulatedNode(address)) }
            let node = try Node(0, in: stage.world, settings)
            collect(node.central.events(), in: stage.world) { event in
                guard event.isConnection else { return }
                try? stage.perform { $0.device(address)?.dropLink() }
            }
            node.central.startScanning()
            var writes: Set<Date> = []
            let file = folder.appending(path: "mesh.json").path
            for _ in 0..<600 {
                try await stage.wait(.milliseconds(100))
                let attributes = try? FileManager.default.attributesOfItem(atPath: file)
                if let date = attributes?[.modificationDate] as? Date { writes.insert(date) }
            }
            #expect((2...6).contains(node.count(\.isConnection)))
            #expect((1...7).contains(writes.count))
        }
    }

    @Test("Values that RX floods arrive complete and in order")
    func flood() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            try stage.perform { $0.add(simulatedNode(address)) }
            let node = try Node(0, in: stage.world)
            node.central.startScanning()
            try await stage.wait(for: "peer") { node.central.connectedPeers == [device] }
            try stage.perform { world in
                for number in 0..<5_000 {
                    let bytes = [UInt8(number / 256), UInt8(number % 256)]
                    world.device(address)?.send(bytes, on: rxUUID)
                }
            }
            try await stage.wait(for: "values") { node.inbox.count == 5_000 }
            let values = node.inbox.values(from: device)
            let sent = (0..<5_000).map { Data([UInt8($0 / 256), UInt8($0 % 256)]) }
            #expect(values == sent)
        }
    }

    @Test("A peer whose service is removed and added again becomes a peer again on the same link")
    func serviceReturns() async throws {
        try await MeshStage.play(adapters: 2) { stage in
            let nodes = try await stage.connectedNodes(2)
            try await stage.wait(for: "subscribers") {
                nodes.allSatisfy { $0.peripheral.subscribedCentrals.count == 1 }
            }
            for node in nodes { node.events.clear() }
            nodes[1].peripheral.stopAdvertising()
            try await stage.wait(for: "loss") { nodes[0].count(\.isLoss) == 1 }
            let sent = nodes[0].central.sendData(to: nodeID(1), data: Data([1]))
            #expect(sent == .unknownPeer)
            try await stage.wait(.seconds(3))
            nodes[1].peripheral.startAdvertising()
            try await stage.wait(for: "connection") { nodes[0].count(\.isConnection) == 1 }
            // Node 1 shares the link and has not lost it.
            #expect(nodes[1].count(\.isLoss) == 0)
            #expect(nodes[0].central.sendData(to: nodeID(1), data: Data([2])) == .queued)
            try await stage.wait(for: "value") {
                nodes[1].inbox.values(from: nodeID(0)) == [Data([2])]
            }
        }
    }

    @Test("A service that does not return within 10 s ends the link")
    func serviceStaysAway() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            try stage.perform { $0.add(simulatedNode(address)) }
            let node = try Node(0, in: stage.world)
            node.central.startScanning()
            try await stage.wait(for: "peer") { node.central.connectedPeers == [device] }
            try stage.perform { world in
                world.device(address)?.setAdvertising(false)
                world.device(address)?.removeService(MeshBLEConstants.serviceUUID.uuidString)
            }
            try await stage.wait(for: "loss") { node.count(\.isLoss) == 1 }
            let isConnected = try stage.perform { $0.device(address)?.isConnected }
            #expect(isConnected == true)
            try await stage.wait(.seconds(15))
            let isStillConnected = try stage.perform { $0.device(address)?.isConnected }
            #expect(isStillConnected == false)
        }
    }

    @Test("The end of the scan disconnects the local links and leaves those of the peers")
    func letGo() async throws {
        try await MeshStage.play(adapters: 2) { stage in
            let (host, guest) = (try Node(0, in: stage.world), try Node(1, in: stage.world))
            host.peripheral.startAdvertising()
            guest.peripheral.startAdvertising()
            guest.central.startScanning()
            try await stage.wait(for: "guest's link") {
                guest.central.connectedPeers == [nodeID(0)]
            }
            // The guest is already connected to the host, which uses the guest's link.
            host.central.startScanning()
            try await stage.wait(for: "host's peer") { host.central.connectedPeers == [nodeID(1)] }
            host.central.stopScanning()
            try await stage.wait(.seconds(20))
            #expect(host.central.connectedPeers == [])
            #expect(host.count { $0 == .lost(nodeID(1), .local) } == 1)
            #expect(guest.central.connectedPeers == [nodeID(0)])
            #expect(guest.count(\.isLoss) == 0)
            guest.central.stopScanning()
            try await stage.wait(.seconds(5))
            #expect(host.peripheral.subscribedCentrals == [])
        }
    }
}

extension MeshPeerEvent {
    var isConnection: Bool {
        if case .connected = self { true } else { false }
    }
    var isLoss: Bool {
        if case .lost = self { true } else { false }
    }
}
