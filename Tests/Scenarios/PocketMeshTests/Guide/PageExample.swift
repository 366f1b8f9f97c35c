import Foundation
import PocketMesh

/// Talks to the first radio found, until it is disconnected and does not reconnect.
func talk(over place: BluetoothHost, show: @escaping @Sendable (String) -> Void) async throws {
    let radio = BLEStateMachine(restoreIdentifier: nil, host: place)
    let transport = iOSBLETransport(stateMachine: radio)
    let manager = ConnectionManager(transport: transport) { session in
        Task { for await packet in session.packets { show("< \(packet.count) bytes") } }
        try await transport.send(Data([5]))
    }
    try await radio.waitForPoweredOn()
    let (found, sighting) = AsyncStream<UUID>.makeStream()
    await radio.setDeviceDiscoveredHandler { device, _ in sighting.yield(device) }
    await radio.startScanning()
    for await device in found {
        await radio.stopScanning()
        try await manager.connect(to: device)
        break
    }
    for await state in await manager.states {
        show("\(state)")
        if state == .disconnected { break }
    }
    await radio.shutdown()
}
