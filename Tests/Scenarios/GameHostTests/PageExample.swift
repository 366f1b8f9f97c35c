import Foundation
import GameHost

/// Hosts a game until `end` returns.
@MainActor
func host(_ game: any BrainSDK, until end: () async -> Void, at place: BluetoothHost) async {
    let manager = BLEHostManager(sdk: game, host: place)
    manager.onDeliveryFailure = { packet, failure in
        print("\(packet.data.count) bytes were not delivered: \(failure)")
    }
    manager.setGoodbyePacket { .broadcast(Data("goodbye".utf8)) }
    manager.startAdvertising()
    await end()
    manager.disconnectGracefully()
    // The stream begins with the current state.
    for await state in manager.changes where state == .idle { break }
}
