import Foundation
import GameHost
import Testing

@Suite("The code of the guide with the library")
struct GuideTests {
    @Test("The constants match the guide")
    func constants() {
        #expect(BLEConstants.serviceUUID == Guide.BLEConstants.serviceUUID)
        #expect(BLEConstants.writeCharacteristicUUID == Guide.BLEConstants.writeCharacteristicUUID)
        #expect(
            BLEConstants.notifyCharacteristicUUID == Guide.BLEConstants.notifyCharacteristicUUID
        )
        #expect(BLEConstants.maxMTU == Guide.BLEConstants.maxMTU)
        #expect(BLEConstants.defaultMTU == Guide.BLEConstants.defaultMTU)
    }

    @Test("Bytes are converted to a Kotlin array and back")
    func bytes() {
        let data = Data([0, 1, 127, 128, 255])
        let array = KotlinByteArray(data)
        #expect(array.size == 5 && array.get(index: 3) == -128)
        #expect(Data(array) == data)
        #expect(KotlinByteArray(Data()).toData().isEmpty)
        #expect(KotlinByteArray(size: -1).size == 0)
    }

    @Test(
        "A player from the guide accepts the host's fragments",
        arguments: [0, 1, 16, 17, 300, 4_080]
    )
    func fragments(size: Int) throws {
        var fragmenter = PacketFragmenter()
        let message = Data((0..<size).map { UInt8(truncatingIfNeeded: $0) })
        let player = Guide.PacketReassembler()
        let whole = try fragmenter.fragment(message).compactMap { player.addFragment($0) }
        #expect(whole == [message])
    }

    @Test("The connection qualities match the guide", arguments: [-120...(-1), 0...0])
    func qualities(range: ClosedRange<Int>) {
        let central = Central(identifier: UUID(), maximumUpdateValueLength: 20)
        for rssi in range {
            let guides = Guide.updateConnectionQuality(for: central, rssi: NSNumber(value: rssi))
            #expect(ConnectionQuality(rssi: rssi) == guides)
        }
    }

    @Test("A mock can replace a host, for the guide and the library")
    func mocks() {
        func play(_ manager: any BLEManagerProtocol) {
            manager.startAdvertising()
            manager.sendData(Data([1]), to: "peer-1")
            manager.sendData(Data([2]), to: nil)
            manager.stopAdvertising()
        }
        let guides = Guide.MockBLEManager()
        let ours = MockBLEManager()
        play(guides)
        play(ours)
        #expect(guides.sentPackets.map(\.0) == ours.sentPackets.map(\.0))
        #expect(ours.sentPackets.map(\.1) == ["peer-1", nil])
        #expect(!ours.isAdvertising)
    }

    @Test("A host conforms to the manager protocol of the guide")
    @MainActor
    func manager() {
        let manager = BLEHostManager(sdk: Brain())
        func use(_ manager: some BLEManagerProtocol) { manager.stopAdvertising() }
        use(manager)
        #expect(manager.state == .idle && !manager.isAdvertising)
    }

    @Test("Packets are compared by value")
    func packets() {
        #expect(
            OutgoingPacket.broadcast(Data([1]))
                == OutgoingPacket(targetPeerId: nil, data: Data([1]))
        )
        #expect(
            OutgoingPacket.unicast("a", Data([1]))
                == OutgoingPacket(targetPeerId: "a", data: Data([1]))
        )
        #expect(OutgoingPacket.unicast("a", Data()) != .unicast("b", Data()))
    }
}
