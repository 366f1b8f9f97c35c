import Bluejay
import Foundation

final class Witness: ConnectionObserver {
    func bluetoothAvailable(_ available: Bool) { printLine("available \(available)") }
    func connected(to peripheral: PeripheralIdentifier) {
        printLine("connected \(peripheral.name)")
    }
    func disconnected(from peripheral: PeripheralIdentifier) {
        printLine("disconnected \(peripheral.name)")
    }
}

/// Prints a line without buffering.
func printLine(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}
