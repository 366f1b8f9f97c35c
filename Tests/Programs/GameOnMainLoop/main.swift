// A host in a program that runs GLib's loop on its main thread: returns each message, until a player sends 0.
import Foundation
import GameHost

final class Echo: BrainSDK {
    let outgoingPackets: AsyncStream<OutgoingPacket>
    private let packets: AsyncStream<OutgoingPacket>.Continuation
    weak var manager: BLEHostManager?

    init() { (outgoingPackets, packets) = AsyncStream.makeStream() }

    func startHostAdvertising() -> String { "Echo" }
    func stopHostAdvertising() { print("stop") }
    func onPeerConnected(peerId: String, peerName: String) { print("+ \(peerName)") }
    func onPeerDisconnected(peerId: String) { print("-") }
    func onDataReceived(fromPeerId: String, data: Data) {
        print("heard \(Array(data))")
        if data == Data([0]) { return manager?.disconnectGracefully() ?? () }
        packets.yield(.unicast(fromPeerId, data))
    }
}

let game = Echo()
let manager = BLEHostManager(sdk: game, host: BluetoothHost(mainLoop: .main))
game.manager = manager
manager.setGoodbyePacket { .broadcast(Data([9])) }
let states = manager.changes
Task {
    for await state in states.dropFirst() {
        print(state)
        if state == .idle { MainLoop.main.stop() }
    }
}
manager.startAdvertising()
MainLoop.main.run()
