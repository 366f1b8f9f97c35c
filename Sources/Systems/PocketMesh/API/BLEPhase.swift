public import FoundationEssentials

/// The phase of a connection.
public enum BLEPhase: Hashable, Swift.Sendable {
    /// No connection exists, and none is being established.
    case idle
    /// A connection waits until Bluetooth becomes usable.
    case waitingForBluetooth
    /// The state machine looks for the radio and connects, until the link is up.
    case connecting(UUID)
    /// The link is up, and bluetoothd is discovering the services.
    case discoveringServices(UUID)
    /// The service was found; its two characteristics are looked up.
    case discoveringCharacteristics(UUID)
    /// The state machine subscribes to the values of the radio, which may require pairing first.
    case subscribingToNotifications(UUID)
    /// Discovery is complete, and the stream exists.
    case discoveryComplete(UUID)
    /// The connection is established: values can be sent and received.
    case connected(UUID)
    /// The link was lost, or an earlier run left it, and is being re-established.
    case autoReconnecting(UUID)
    /// A connection of an earlier run is restored when Bluetooth becomes usable.
    case restoringState(UUID)
    /// The link is being disconnected on request.
    case disconnecting(UUID)

    /// The identifier of a radio, under the name that the state machines use.
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

    /// The radio of the phase; `nil` for the two phases without one.
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

    /// Whether a connection exists or is being established: true except in ``idle``.
    public var isActive: Bool { self != .idle }
}
