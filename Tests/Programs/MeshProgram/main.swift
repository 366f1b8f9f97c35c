// A mesh node as a program, which tests kill and restart. It prints its events and returns each value.
//
//   mesh-program ADAPTER [--scan] [--background] [--advertise]
import Foundation
import MeshPeer

/// Prints a line without buffering, because the program may be killed.
@Sendable func printLine(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

/// Prints each value and sends it back.
final class Echo: MeshRepository {
    weak var bridge: PlatformBridge?

    func onBleDataReceived(peerId: String, data: Data) {
        printLine("value \(peerId) \(Array(data))")
        sendBlePacket(peerId: peerId, data: data)
    }

    func sendBlePacket(peerId: String, data: Data) {
        let result = bridge?.sendBlePacket(peerId: peerId, data: data)
        if result != .queued { printLine("not sent \(peerId) \(result.map { "\($0)" } ?? "")") }
    }
}

let arguments = CommandLine.arguments
guard arguments.count > 1 else {
    printLine("usage: mesh-program ADAPTER [--scan] [--background] [--advertise]")
    exit(2)
}
let echo = Echo()
let bridge = PlatformBridge(repository: echo, host: BluetoothHost(adapter: arguments[1]))
echo.bridge = bridge
let streams = [bridge.central.events(), bridge.peripheral.events()]
if arguments.contains("--advertise") { bridge.peripheral.startAdvertising() }
if arguments.contains("--background") { bridge.central.setBackgroundMode(true) }
if arguments.contains("--scan") { bridge.central.startScanning() }
await withTaskGroup(of: Void.self) { group in
    for stream in streams {
        group.addTask {
            for await event in stream {
                switch event {
                case .discovered: break
                case .connected(let peer, let identity):
                    printLine("connected \(peer) \(Array(identity))")
                case .lost(let peer, _): printLine("lost \(peer)")
                default: printLine("\(event)")
                }
            }
        }
    }
}
