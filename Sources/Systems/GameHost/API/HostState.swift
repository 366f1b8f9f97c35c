public import BluejayCore

/// The state of a host.
public enum HostState: Hashable, Swift.Sendable {
    /// Not started, or stopped.
    case idle
    /// Started; the host continues by itself when Bluetooth becomes usable.
    case waitingForBluetooth(BluetoothState)
    /// bluetoothd is registering the service.
    case addingService
    /// Players can find the host by this name.
    case advertising(name: String)
    /// bluetoothd has rejected the service or the advertisement, for this reason; the host retries when
    /// Bluetooth becomes available again, or after a stop. Or the main loop has ended.
    case failed(String)
}

extension HostState: CustomStringConvertible {
    /// The problem and its remedy.
    public var description: String {
        switch self {
        case .idle: "not started"
        case .waitingForBluetooth(.unknown): "checking Bluetooth"
        case .waitingForBluetooth(.resetting):
            "waiting for Bluetooth: the service is restarting"
        case .waitingForBluetooth(let state): "waiting for Bluetooth: \(state)"
        case .addingService: "adding the service"
        case .advertising(let name): "advertising as \(name)"
        case .failed(let reason): "advertising failed: \(reason)"
        }
    }
}

/// The reason why a message does not reach a player, or any player.
public enum DeliveryFailure: Error, Hashable, Swift.Sendable {
    /// No present player has this id.
    case unknownPeer(String)
    /// BlueZ would send the message to other centrals, too. Before 5.76, and later for a player whose socket
    /// BlueZ closed by mistake, a single player is addressable only if no other central is connected.
    case notAddressable(String)
    /// The player is connected, but bluetoothd no longer has its subscription; the player must subscribe
    /// again.
    case mute(String)
    /// The message does not fit 255 fragments, or one value if it is sent raw.
    case tooLarge(size: Int, limit: Int)
    /// The queue of the player is full: the player does not read.
    case queueFull
}

extension DeliveryFailure: CustomStringConvertible {
    /// A sentence without a full stop.
    public var description: String {
        switch self {
        case .unknownPeer(let peer): "no player \(peer)"
        case .notAddressable(let peer):
            "BlueZ cannot send the message to \(peer) alone; send it to all players"
        case .mute(let peer): "\(peer) is connected but no longer subscribed"
        case .tooLarge(let size, let limit): "the message has \(size) bytes, the limit is \(limit)"
        case .queueFull: "the send queue is full: the player is not receiving"
        }
    }
}
