import BluejaySimulator
import Foundation
import MeshPeer
import Testing

@Suite("Restoration", .timeLimit(.minutes(15)))
struct RestorationTests {
    private static func settings(_ folder: URL) -> BLECentralManager.Settings {
        var settings = BLECentralManager.Settings()
        settings.restoreIdentifier = MeshBLEConstants.centralRestoreId
        settings.stateDirectory = folder
        return settings
    }

    @Test("The identity and the interval of a peripheral are restored in its next run")
    func identity() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            let folder = FileManager.default.temporaryDirectory.appending(
                path: UUID().uuidString
            )
            defer { try? FileManager.default.removeItem(at: folder) }
            var settings = BLEPeripheralManager.Settings()
            settings.restoreIdentifier = MeshBLEConstants.peripheralRestoreId
            settings.stateDirectory = folder
            let host = BluetoothHost(
                mainLoop: stage.mainLoop,
                adapter: "hci0",
                busAddress: stage.busAddress
            )
            do {
                let manager = BLEPeripheralManager(settings: settings, host: host)
                try manager.setIdentityData(Data([1, 2, 3]))
                manager.setRotationInterval(60)
                _ = manager.isAdvertising
            }
            let manager = BLEPeripheralManager(settings: settings, host: host)
            let asked = Log<Int>()
            manager.setIdentityProvider {
                asked.append(1)
                return Data([4])
            }
            manager.startAdvertising()
            let read = try await stage.play([.connect, .read(idUUID)], as: "C0:00:00:00:00:01")
            #expect(read == [1, 2, 3])
            try await stage.wait(.seconds(70))
            #expect(asked.all.count == 1)
        }
    }

    @Test(
        "A peer that bluetoothd still holds needs no scan, and a local link to it is disconnected",
        arguments: [true, false]
    )
    func peers(isOurs: Bool) async throws {
        try await MeshStage.play(adapters: 2) { stage in
            let folder = FileManager.default.temporaryDirectory.appending(
                path: UUID().uuidString
            )
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appending(path: "mesh.central.json")
            let other = try Node(1, in: stage.world)
            other.start()
            let killed = try Node(0, in: stage.world, Self.settings(folder))
            killed.central.startScanning()
            try await stage.wait(for: "peer") { killed.central.connectedPeers == [nodeID(1)] }
            var kept = try String(contentsOf: file, encoding: .utf8)
            if !isOurs {
                let dialled = try Regex(#""dialledPeers" ?: ?\[[^\]]*\]"#)
                kept.replace(dialled, with: #""dialledPeers":[]"#)
            }
            killed.central.stopScanning()
            try await stage.wait(.seconds(10))
            // As after a kill, bluetoothd has a link that no node of this process opened.
            try stage.perform { $0.apply(.otherProgramConnects("00:AA:01:01:00:01")) }
            try await stage.wait(.seconds(5))
            try kept.write(to: file, atomically: true, encoding: .utf8)
            let next = try Node(0, in: stage.world, Self.settings(folder))
            try await stage.wait(for: "peer") { next.central.connectedPeers == [nodeID(1)] }
            #expect(!next.events.all.contains(.scanning(true)))
            #expect(next.central.identity(of: nodeID(1)) == Data([1]))
            next.central.stopScanning()
            try await stage.wait(.seconds(10))
            #expect(other.peripheral.subscribedCentrals == [])
            // A remaining link restores the peer.
            try kept.write(to: file, atomically: true, encoding: .utf8)
            let last = try Node(0, in: stage.world, Self.settings(folder))
            try await stage.wait(.seconds(20))
            #expect(last.central.connectedPeers == (isOurs ? [] : [nodeID(1)]))
        }
    }

    @Test("All current peers are saved at once, for a program that is killed afterwards")
    func savedAtOnce() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            let folder = FileManager.default.temporaryDirectory.appending(
                path: UUID().uuidString
            )
            defer { try? FileManager.default.removeItem(at: folder) }
            let addresses = (1...3).map { "C0:00:00:00:00:0\($0)" }
            try stage.perform { radio in
                for address in addresses { radio.add(simulatedNode(address)) }
            }
            let node = try Node(0, in: stage.world, Self.settings(folder))
            node.central.startScanning()
            try await stage.wait(for: "peers") { node.central.connectedPeers.count == 3 }
            let file = folder.appending(path: "mesh.central.json")
            let saved = try String(contentsOf: file, encoding: .utf8)
            for peer in node.central.connectedPeers { #expect(saved.contains("\(peer)")) }
        }
    }
}
