import Bluejay
import Foundation

final class Witness: ConnectionObserver {
    func bluetoothAvailable(_ available: Bool) { say("available \(available)") }
    func connected(to peripheral: PeripheralIdentifier) { say("connected \(peripheral.name)") }
    func disconnected(from peripheral: PeripheralIdentifier) {
        say("disconnected \(peripheral.name)")
    }
}

/// Prints a line without buffering.
func say(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}
