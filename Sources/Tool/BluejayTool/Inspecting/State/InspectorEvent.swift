import Bluejay
import BluejayCurses
import Foundation

/// An event that changes the inspector.
enum InspectorEvent {
    case key(TerminalKey)
    /// Bluetooth is available, or unavailable for this reason.
    case bluetooth(reason: String?)
    /// A scan reports a device; `isReport` is whether an advertisement is the reason.
    case scanned(ScanRow, isReport: Bool)
    case connected(PeripheralIdentifier, [PeripheralService], isPaired: Bool)
    /// The attempt has failed, or the link has ended.
    case disconnected(reason: String)
    case servicesChanged([PeripheralService])
    case read(ValueAttribute, Result<Data, ToolFailure>)
    case wrote(Data, ValueAttribute, ToolFailure?)
    case notified(CharacteristicIdentifier, Data)
    /// A listen has ended by itself.
    case listenFailed(CharacteristicIdentifier, ToolFailure)
    case paired(PeripheralIdentifier)
    /// A question of the pairing, or a number to type on the device.
    case pairingRequested(Int, PairingPrompt)
    case pairingRequestEnded(Int)
    case recordingEnded(Message)
    case message(Message)

    /// A text for the user.
    struct Message: Equatable {
        let text: String
        var isFailure = false
    }
}

/// An effect that the inspector performs after an event.
enum InspectorAction: Equatable {
    case connect(PeripheralIdentifier)
    /// Closes the connection, or cancels the attempt.
    case disconnect
    case read([ValueAttribute])
    case write(Data, ValueAttribute)
    case listen(CharacteristicIdentifier)
    case endListen(CharacteristicIdentifier)
    case pair
    case reply(Int, PairingDecision)
    case record(file: String)
    case endRecording
    /// Sends the whole screen again.
    case repaint
    case suspend
    case quit
}
