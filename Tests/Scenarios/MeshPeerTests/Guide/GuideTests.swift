import BluejayTesting
import Foundation
import MeshPeer
import Testing

@Suite("The code of the document with the library", .timeLimit(.minutes(15)))
struct GuideTests {
    @Test("The constants match the document")
    func constants() {
        let end = "-B5A3-F393-E0A9-E50E24DCCA9E"
        #expect(MeshBLEConstants.serviceUUID == BluetoothUUID(string: "6E400001\(end)"))
        #expect(MeshBLEConstants.txCharUUID == BluetoothUUID(string: "6E400002\(end)"))
        #expect(MeshBLEConstants.rxCharUUID == BluetoothUUID(string: "6E400003\(end)"))
        #expect(MeshBLEConstants.idCharUUID == BluetoothUUID(string: "6E400004\(end)"))
        #expect(MeshBLEConstants.l2capPSM == 0x1001)
        #expect(MeshBLEConstants.maxIdentityDataSize == 24)
        #expect(MeshBLEConstants.maxBackgroundAdvertisingSize == 28)
    }

    @Test("The numbers match the document")
    func numbers() {
        let central = BLECentralManager.Settings()
        #expect(central.scanWindow == .seconds(10) && central.scanPause == .seconds(30))
        #expect(central.peerCacheWindow == .seconds(5))
        #expect(BLEPeripheralManager.Settings().rotationInterval == .seconds(15 * 60))
    }

    @Test("The document's scan, bridge and adjustment work with the managers")
    func blocks() async throws {
        try await MeshStage.play(adapters: 2) { stage in
            let nodes = try (0..<2).map { try Node($0, in: stage.world) }
            for node in nodes {
                node.peripheral.startAdvertising()
                let manager = Guide.CentralManager(central: node.central)
                Guide.scan(with: manager, isBackgroundMode: node.number == 1)
            }
            try await stage.wait(for: "a peer") {
                nodes[0].central.connectedPeers == [nodeID(1)]
            }
            let bridge = Guide.IosPlatformBridge(
                nodes[0].bridge,
                nodes[0].inbox,
                peer: nodeID(1)
            )
            bridge.sendBlePacket(peerId: nodeID(1).uuidString, data: Data([7]))
            try await stage.wait(for: "the value") {
                nodes[1].inbox.values(from: nodeID(0)) == [Data([7])]
            }
            let stranger = Guide.CBPeripheral(identifier: nodeID(9))
            bridge.onBleDataReceived(peripheral: stranger, data: Data([8]))
            #expect(nodes[0].inbox.values(from: nodeID(9)) == [Data([8])])
            let adjust = Guide.AutoAdjust(
                bleCentralManager: nodes[0].central,
                blePeripheralManager: nodes[0].peripheral
            )
            let adjustment = BleAdjustment(
                scanIntervalMs: 1_000,
                advertiseIntervalMs: 500,
                txPowerDbm: 0
            )
            adjust.applyBleAdjustment(adjustment)
            #expect(nodes[0].central.connectedPeers == [nodeID(1)])
        }
    }

    @Test("The rotation of the document schedules the next one")
    func rotation() {
        let advertiser = Guide.Advertiser()
        advertiser.rotate()
        #expect(advertiser.scheduledCount == 1)
    }

    @Test("The repository of the document conforms to the library's protocol")
    func repository() {
        let repository: any MeshRepository = Guide.Repository()
        repository.onBleDataReceived(peerId: "peer", data: Data())
        repository.sendBlePacket(peerId: "peer", data: Data())
    }
}
