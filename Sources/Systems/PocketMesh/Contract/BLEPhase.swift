public import FoundationEssentials

/// How far a connection is; what a phase has, such as a timer or who waits, goes with it.
public enum BLEPhase: Hashable, Swift.Sendable {
    /// There is nothing.
    case idle
    /// A connection waits until Bluetooth can be used.
    case waitingForBluetooth
    /// The radio is looked for and dialled, until there is a link.
    case connecting(UUID)
    /// There is a link, whose services bluetoothd is finding.
    case discoveringServices(UUID)
    /// The service is there; its two characteristics are looked up.
    case discoveringCharacteristics(UUID)
    /// The radio is asked to send what it has; it may want to be paired first.
    case subscribingToNotifications(UUID)
    /// Everything was found, and the stream is made.
    case discoveryComplete(UUID)
    /// Values go both ways.
    case connected(UUID)
    /// The link was lost, or left by a former run, and is made again.
    case autoReconnecting(UUID)
    /// A former run was connected; it is gone on with when Bluetooth can be used.
    case restoringState(UUID)
    /// The link is being cut, as it was asked for.
    case disconnecting(UUID)

    /// What the library's own machines call the identifier of a radio.
    typealias Device = UUID

    /// The name of the case, without the identifier.
    public var name: String {
        switch self {
        case .idle: "idle"
        case .waitingForBluetooth: "waitingForBluetooth"
        case .connecting: "connecting"
        case .discoveringServices: "discoveringServices"
        case .discoveringCharacteristics: "discoveringCharacteristics"
        case .subscribingToNotifications: "subscribingToNotifications"
        case .discoveryComplete: "discoveryComplete"
        case .connected: "connected"
        case .autoReconnecting: "autoReconnecting"
        case .restoringState: "restoringState"
        case .disconnecting: "disconnecting"
        }
    }

    /// The radio that it is about; nil for the two that are about none.
    public var deviceID: UUID? {
        switch self {
        case .idle, .waitingForBluetooth: nil
        case .connecting(let id), .discoveringServices(let id),
            .discoveringCharacteristics(let id), .subscribingToNotifications(let id),
            .discoveryComplete(let id), .connected(let id), .autoReconnecting(let id),
            .restoringState(let id), .disconnecting(let id):
            id
        }
    }

    /// Whether anything is under way or open: all but ``idle``.
    public var isActive: Bool { self != .idle }
}
