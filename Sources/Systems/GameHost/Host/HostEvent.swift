internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

/// An event that the loop reports to the main actor, in order.
enum HostEvent: Swift.Sendable {
    case bluetooth(BluetoothState)
    case state(HostState)
    /// Requests the name of the game; the main actor replies with `receiveName`.
    case requestName
    case playerJoined(Central, id: String, name: String)
    /// The central of a player has a new identifier or value length.
    case changed(Central, id: String)
    case playerLeft(id: String)
    /// The main actor replies with `delivered`, which makes room for more.
    case data(Data, from: String)
    case failed(OutgoingPacket, DeliveryFailure)
    /// bluetoothd has received the last message.
    case saidGoodbye
    /// The main loop ends: no event follows.
    case loopEnded
}
