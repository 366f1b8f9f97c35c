// Blocks of the document, unchanged, with stand-ins for the names of CoreBluetooth.
// Documentation/MeshPeerSettings.md lists the replacements of the other blocks.
import Foundation
import MeshPeer

/// Application code written against the document.
enum Guide {}

// MARK: Stand-ins for CoreBluetooth

let CBCentralManagerScanOptionAllowDuplicatesKey = "kCBScanOptionAllowDuplicates"

extension Guide {
    struct CBPeripheral {
        let identifier: UUID
    }

    /// `CBCentralManager.scanForPeripherals` on top of the library's manager.
    struct CentralManager {
        let central: BLECentralManager

        func scanForPeripherals(withServices services: [BluetoothUUID], options: [String: Any]) {
            precondition(services == [MeshBLEConstants.serviceUUID])
            let reportsAll = options[CBCentralManagerScanOptionAllowDuplicatesKey] as? Bool ?? false
            central.setBackgroundMode(!reportsAll)
            central.startScanning()
        }
    }
}

// MARK: Blocks

// "Background Scanning Limitations".
extension Guide {
    static func scan(with centralManager: CentralManager, isBackgroundMode: Bool) {
        // swift-format-ignore
        let options: [String: Any] = isBackgroundMode ?
            [:] :
            [CBCentralManagerScanOptionAllowDuplicatesKey: true]
        centralManager.scanForPeripherals(
            withServices: [MeshBLEConstants.serviceUUID],
            options: options
        )
    }
}

// "Privacy Rotation". The library rotates by itself.
extension Guide {
    final class Advertiser {
        private(set) var scheduledCount = 0

        func rotate() { rotateIdentity() }

        private func rotateIdentity() {
            // Regenerate advertising data
            // Stop advertising
            // Update identity characteristic
            // Restart advertising with new data
            scheduleNextRotation()
        }

        private func scheduleNextRotation() { scheduledCount += 1 }
    }
}

// "With IosPlatformBridge" and "With AutoAdjustEngine".
extension Guide {
    final class IosPlatformBridge {
        let bleCentralManager: BLECentralManager?
        let blePeripheralManager: BLEPeripheralManager
        let meshRepository: (any MeshRepository)?
        let peripheralId: UUID

        init(
            _ bridge: PlatformBridge,
            _ repository: any MeshRepository,
            peer: UUID
        ) {
            bleCentralManager = bridge.central
            blePeripheralManager = bridge.peripheral
            meshRepository = repository
            peripheralId = peer
        }

        // In IosPlatformBridge.swift
        func sendBlePacket(peerId: String, data: Data) {
            // Forward to BLECentralManager
            bleCentralManager?.sendData(to: peripheralId, data: data)
        }

        func onBleDataReceived(peripheral: CBPeripheral, data: Data) {
            // Forward to PlatformBridge callback
            meshRepository?.onBleDataReceived(peerId: peripheral.identifier.uuidString, data: data)
        }
    }

    struct AutoAdjust {
        let bleCentralManager: BLECentralManager
        let blePeripheralManager: BLEPeripheralManager

        // Apply BLE adjustments from Rust
        func applyBleAdjustment(_ adjustment: BleAdjustment) {
            bleCentralManager.applyScanSettings(intervalMs: adjustment.scanIntervalMs)
            blePeripheralManager.applyAdvertiseSettings(
                intervalMs: adjustment.advertiseIntervalMs,
                txPowerDbm: adjustment.txPowerDbm
            )
        }
    }
}

// "With MeshRepository".
extension Guide {
    final class Repository: MeshRepository {
        // In MeshRepository.swift
        func onBleDataReceived(peerId: String, data: Data) {
            // Process and decrypt
            // Forward to message handler if relay enabled
        }

        func sendBlePacket(peerId: String, data: Data) {
            // Called by platform bridge
            // Forward to transport layer
        }
    }
}

/// The program of the DocC article.
func startNode(_ repository: any MeshRepository, on host: BluetoothHost) throws -> PlatformBridge {
    let bridge = PlatformBridge(repository: repository, host: host)
    try bridge.peripheral.setIdentityData(Data("Ann".utf8))
    bridge.peripheral.startAdvertising()
    bridge.central.startScanning()
    return bridge
}
