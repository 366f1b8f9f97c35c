internal import BluejayCore
internal import FoundationEssentials

/// What the side on the loop tells the main actor, in order.
enum HostEvent: Swift.Sendable {
    case bluetooth(BluetoothState)
    case state(HostState)
    /// The game is asked for its name; answered with `named`.
    case askName
    case joined(Central, id: String, name: String)
    /// The central of a player has another identifier, or longer values.
    case changed(Central, id: String)
    case left(id: String)
    /// Answered with `delivered`, which makes room for more.
    case data(Data, from: String)
    case failed(OutgoingPacket, DeliveryFailure)
    /// What was said at the end is with bluetoothd.
    case saidGoodbye
}

/// An event of one session; of those that are over only failures are told.
struct NumberedEvent: Swift.Sendable {
    let session: Int
    let event: HostEvent
}
