import BluejaySimulator
import Foundation
import MeshPeer
import TestTraits
import Testing

/// Tests `MeshCentral`.
@Suite("Scanning for nodes", .timeLimit(.minutes(15)))
struct ScanningTests {
    @Test(
        "A scan that finds the controller busy starts when the controller is free",
        .pitfall(.discoveryInProgress)
    )
    func busyController() async throws {
        try await MeshStage.play(adapters: 2) { stage in
            let nodes = try (0..<2).map { try Node($0, in: stage.world) }
            nodes[1].peripheral.startAdvertising()
            try await stage.wait(for: "advertisement") { nodes[1].peripheral.isAdvertising }
            // The kernel continues discovery for some seconds after bluetoothd was killed.
            let name = "org.bluez.Error.InProgress"
            try stage.perform {
                $0.apply(
                    .callsRefused(
                        "StartDiscovery",
                        name: name,
                        text: "Operation already in progress"
                    )
                )
            }
            nodes[0].central.applyScanSettings(intervalMs: 1000)
            nodes[0].central.startScanning()
            try await stage.wait(.seconds(10))
            #expect(nodes[0].central.discoveredPeers == [])
            try stage.perform { $0.apply(.callsReleased("StartDiscovery")) }
            try await stage.wait(for: "peer") { nodes[0].central.connectedPeers == [nodeID(1)] }
        }
    }

    @Test("A scan runs for 10 s, pauses for 30 s, and ends on request")
    func startAndStop() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            let node = try Node(0, in: stage.world)
            node.central.startScanning()
            node.central.startScanning()
            try await stage.wait(.seconds(95))
            #expect(scans(of: node) == [true, false, true, false, true, false])
            try await stage.wait(.seconds(126))
            node.central.stopScanning()
            try await stage.wait(.seconds(95))
            let both = [true, false]
            #expect(scans(of: node) == both + both + both + both + both + both)
        }
    }

    @Test("A scan requested while Bluetooth is off is deferred, and a power cycle resumes it")
    func deferred() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            try stage.setPowered(false, 0)
            try await stage.wait(.seconds(3))
            let node = try Node(0, in: stage.world)
            node.start()
            try await stage.wait(.seconds(3))
            #expect(!node.events.all.contains(.scanning(true)))
            #expect(!node.peripheral.isAdvertising)
            try stage.setPowered(true, 0)
            try await stage.wait(for: "scan") { node.events.all.contains(.scanning(true)) }
            try await stage.wait(for: "advertisement") { node.peripheral.isAdvertising }
        }
    }

    @Test("In the foreground each advertisement is reported, in the background each change")
    func modes() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            let settings = {
                var settings = BLECentralManager.Settings()
                settings.maximumPeers = 0
                return settings
            }()
            let node = try Node(0, in: stage.world, settings)
            let found = Log<UUID>()
            let stream = node.central.events()
            collect(stream, in: stage.world) { event in
                if case .discovered(let peer, _) = event { found.append(peer) }
            }
            try stage.perform { $0.add(simulatedNode("C0:00:00:00:00:01")) }
            let id = deviceID("C0:00:00:00:00:01")
            node.central.startScanning()
            try await stage.wait(.seconds(9))
            #expect(found.all.count > 3)
            #expect(node.central.discoveredPeers == [id])
            node.central.stopScanning()
            #expect(node.central.discoveredPeers == [])
            try await stage.wait(.seconds(5))
            found.clear()
            node.central.setBackgroundMode(true)
            node.central.startScanning()
            try await stage.wait(.seconds(9))
            #expect(found.all == [id])
        }
    }

    @Test("A late reader of events receives each connection and loss among 6,000 discoveries")
    func lateReader() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            var settings = BLECentralManager.Settings()
            settings.scanPause = .zero
            settings.maximumPeers = 1
            try stage.perform { world in
                let service = MeshBLEConstants.serviceUUID.uuidString
                for number in 0..<60 {
                    let tail = String(format: "%02X", number)
                    let address = "C0:00:00:00:01:\(tail)"
                    world.add(SimulatedDevice(address: address, advertising: [service]))
                }
            }
            let node = try Node(0, in: stage.world, settings)
            let events = node.central.events()
            node.central.startScanning()
            try await stage.wait(.seconds(100))
            let address = "C0:00:00:00:00:01"
            let peer = deviceID(address)
            try stage.perform { $0.add(simulatedNode(address)) }
            try await stage.wait(for: "peer") { node.central.connectedPeers == [peer] }
            try await stage.wait(.seconds(10))
            try stage.perform { $0.device(address)?.leaveRange() }
            try await stage.wait(for: "loss") { node.central.connectedPeers.isEmpty }
            #expect(node.central.droppedEventCount > 1_000)
            node.central.stopScanning()
            var isConnected = false
            var rare: [MeshPeerEvent] = []
            for await event in events {
                if case .discovered(peer, _) = event { #expect(!isConnected) }
                if event.isConnection { isConnected = true }
                if event.isLoss { isConnected = false }
                if event.isConnection || event.isLoss { rare.append(event) }
                if event == .scanning(false) { break }
            }
            #expect(rare.count { $0.isConnection } == 1)
            #expect(rare.count { $0.isLoss } == 1)
        }
    }

    @Test("A cycle of 1,000 ms or less has no pause")
    func noPause() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            let node = try Node(0, in: stage.world)
            node.central.applyScanSettings(intervalMs: 1000)
            node.central.startScanning()
            try await stage.wait(.seconds(100))
            #expect(scans(of: node) == [true])
        }
    }

    @Test("Devices with other services are not reported, and 1,000 of them do not disturb the scan")
    func crowd() async throws {
        try await MeshStage.play(adapters: 2) { stage in
            try stage.perform { world in
                for number in 0..<1000 {
                    let tail = String(format: "%02X:%02X", number / 256, number % 256)
                    world.add(
                        SimulatedDevice(address: "C0:00:00:00:\(tail)", advertising: ["180D"])
                    )
                }
            }
            let nodes = try await stage.connectedNodes(2)
            #expect(nodes[0].central.discoveredPeers == [nodeID(1)])
        }
    }
}

private func scans(of node: Node) -> [Bool] {
    node.events.all.compactMap { event in
        if case .scanning(let isScanning) = event { isScanning } else { nil }
    }
}
