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
    /// Bluetooth becomes available again, or after a stop.
    case failed(String)
}

extension HostState: CustomStringConvertible {
    /// The problem and its remedy.
    public var description: String {
        switch self {
        case .idle: "the host is not started"
        case .waitingForBluetooth(.unknown): "the host asks whether Bluetooth is there"
        case .waitingForBluetooth(.resetting):
            "the host waits for Bluetooth: its service is starting again"
        case .waitingForBluetooth(let state): "the host waits for Bluetooth: \(state)"
        case .addingService: "the host adds its service"
        case .advertising(let name): "the host advertises as \(name)"
        case .failed(let reason): "the host cannot advertise: \(reason)"
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
        case .unknownPeer(let peer): "there is no player \(peer)"
        case .notAddressable(let peer): "this BlueZ would send what is for \(peer) to others, too"
        case .mute(let peer): "\(peer) is connected and not subscribed any more"
        case .tooLarge(let size, let limit): "\(size) bytes, where \(limit) fit"
        case .queueFull: "the player does not read: as much as may wait for it waits"
        }
    }
}
