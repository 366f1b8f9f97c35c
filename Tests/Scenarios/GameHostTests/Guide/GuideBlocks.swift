// Blocks of the guide, unchanged except for `import CoreBluetooth` and `import BabLanguageSDK`, which do not
// exist on Linux. Documentation/GameHostPlayers.md lists the replacements of the other blocks.
import Foundation
import GameHost

// "BLE Constants": an app may have its own.
enum Guide {
    enum BLEConstants {
        static let serviceUUID = CBUUID(string: "12345678-1234-1234-1234-123456789ABC")
        static let writeCharacteristicUUID = CBUUID(string: "12345678-1234-1234-1234-123456789ABD")
        static let notifyCharacteristicUUID = CBUUID(string: "12345678-1234-1234-1234-123456789ABE")

        static let maxMTU = 512
        static let defaultMTU = 20
    }
}

// "Kotlin ByteArray ↔ Swift Data Conversion".
extension KotlinByteArray {
    convenience init(_ data: Data) {
        self.init(size: Int32(data.count))
        data.enumerated().forEach { index, byte in
            self.set(index: Int32(index), value: Int8(bitPattern: byte))
        }
    }

    func toData() -> Data {
        var bytes = [UInt8]()
        for i in 0..<size {
            bytes.append(UInt8(bitPattern: get(index: i)))
        }
        return Data(bytes)
    }
}

extension Data {
    init(_ kotlinByteArray: KotlinByteArray) {
        self = kotlinByteArray.toData()
    }
}

// "Reassembly on Receive": the reassembly of a player.
extension Guide {
    // swift-format-ignore: NeverForceUnwrap
    class PacketReassembler {
        private var fragments: [UInt16: [UInt8: Data]] = [:]

        func addFragment(_ data: Data) -> Data? {
            guard data.count >= 4 else { return nil }

            let packetId = UInt16(data[0]) << 8 | UInt16(data[1])
            let fragmentIndex = data[2]
            let totalFragments = data[3]
            let payload = data.dropFirst(4)

            if fragments[packetId] == nil {
                fragments[packetId] = [:]
            }
            fragments[packetId]![fragmentIndex] = Data(payload)

            // Check if complete
            if fragments[packetId]!.count == Int(totalFragments) {
                var completeData = Data()
                for i in 0..<totalFragments {
                    if let fragment = fragments[packetId]![i] {
                        completeData.append(fragment)
                    }
                }
                fragments.removeValue(forKey: packetId)
                return completeData
            }

            return nil
        }
    }
}

// "Connection Quality Monitoring", with the quality as its result.
extension Guide {
    static func updateConnectionQuality(for central: Central, rssi: NSNumber) -> ConnectionQuality {
        let quality: ConnectionQuality
        switch rssi.intValue {
        case -50...0:
            quality = .excellent
        case -70..<(-50):
            quality = .good
        case -85..<(-70):
            quality = .fair
        default:
            quality = .poor
        }

        // Update UI or SDK state
        return quality
    }
}

// "Mock BLE for Unit Tests".
extension Guide {
    class MockBLEManager: BLEManagerProtocol {
        var sentPackets: [(Data, String?)] = []

        func startAdvertising() {}
        func stopAdvertising() {}

        func sendData(_ data: Data, to peerId: String?) {
            sentPackets.append((data, peerId))
        }
    }
}
