import Foundation
import MeshPeer

/// Shows each message of a peer.
final class Messages: MeshRepository {
    let show: (String) -> Void
    weak var bridge: PlatformBridge?

    init(show: @escaping (String) -> Void) { self.show = show }

    func onBleDataReceived(peerId: String, data: Data) {
        show("\(peerId): \(String(decoding: data, as: UTF8.self))")
    }

    func sendBlePacket(peerId: String, data: Data) {
        bridge?.sendBlePacket(peerId: peerId, data: data)
    }
}

/// Runs a node that greets its peers, until the task is cancelled.
func runNode(
    named name: String,
    on host: BluetoothHost,
    show: @escaping @Sendable (String) -> Void
) async throws {
    var settings = BLEPeripheralManager.Settings()
    settings.localName = name
    let messages = Messages(show: show)
    let bridge = PlatformBridge(
        repository: messages,
        centralSettings: BLECentralManager.Settings(),
        peripheralSettings: settings,
        host: host
    )
    messages.bridge = bridge
    try bridge.peripheral.setIdentityData(Data(name.utf8))
    let events = bridge.central.events()
    bridge.peripheral.startAdvertising()
    bridge.central.startScanning()
    for await event in events {
        guard case .connected(let peer, let identity) = event else { continue }
        show("\(String(decoding: identity, as: UTF8.self)) is a peer")
        let greeting = Data("hello from \(name)".utf8)
        while bridge.sendBlePacket(peerId: peer.uuidString, data: greeting) == .queueFull {
            try await Task.sleep(for: .seconds(1))
        }
    }
}
