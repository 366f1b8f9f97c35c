public import BluejayCore

/// How far a host is.
public enum HostState: Hashable, Swift.Sendable {
    /// Not started, or stopped.
    case idle
    /// Started; it goes on by itself when Bluetooth can be used.
    case waitingForBluetooth(BluetoothState)
    /// bluetoothd is asked to serve the service.
    case addingService
    /// Players can find it, by this name.
    case advertising(name: String)
    /// bluetoothd has refused the service or the advertisement, with its reason; it is tried again when
    /// Bluetooth comes back, or after a stop.
    case failed(String)
}

extension HostState: CustomStringConvertible {
    /// What is the matter, and what to do about it.
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

/// Why a message does not reach a player, or none.
public enum DeliveryFailure: Error, Hashable, Swift.Sendable {
    /// Nobody of this id is there now.
    case unknownPeer(String)
    /// This BlueZ would send it to others, too: before 5.76, and to a player whose socket it closed by mistake
    /// later, one player can be meant only when no other central is connected.
    case notAddressable(String)
    /// The player is connected, and bluetoothd has no subscription of it any more; it has to subscribe
    /// again.
    case mute(String)
    /// It does not fit 255 fragments, or one value where it is sent raw.
    case tooLarge(size: Int, limit: Int)
    /// As much as may wait for the player waits already: it does not read.
    case queueFull
}

extension DeliveryFailure: CustomStringConvertible {
    /// A sentence without its full stop.
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
