import BluejayCore
import Testing

@testable import BluejayTool

@Suite("Why the tool fails", .timeLimit(.minutes(15)))
struct ToolFailureTests {
    static let statuses: [(BluejayError, ToolFailure.Status)] = [
        (.bluetoothUnavailable(.poweredOff), .noBluetooth),
        (.peripheralNotFound(device("x")), .noDevice), (.noPeripheralFound("x"), .noDevice),
        (.connectionTimedOut, .noDevice), (.notConnected, .failed), (.readFailed, .failed),
    ]

    @Test("The exit status is what has happened", arguments: statuses)
    func status(error: BluejayError, status: ToolFailure.Status) {
        #expect(ToolFailure(error).status == status)
    }

    @Test("What is the matter with Bluetooth is said in the words of the library, whoever asked")
    func words() {
        let state = BluetoothState.blocked
        let error = BluejayError.bluetoothUnavailable(state).during(.connectedPeripherals)
        #expect(ToolFailure(error).message == "Bluetooth is not available: \(state)")
    }
}
