/// The state of a connection for a screen.
public enum ConnectionState: Hashable, Swift.Sendable {
    /// No connection exists.
    case disconnected
    /// The connection is being established or re-established.
    case connecting
    /// The connection exists, and the app sets up its services.
    case connected
    /// The connection and its services are usable.
    case ready

    /// A dot on a screen.
    public struct Indicator: Hashable, Swift.Sendable {
        /// The colour of a dot.
        public enum Color: Hashable, Swift.Sendable {
            case red, yellow, green
        }

        /// The colour of the dot.
        public let color: Color
        /// Whether a spinner is shown beside the dot.
        public let showsSpinner: Bool
    }

    /// The dot for this state.
    public var indicator: Indicator {
        switch self {
        case .disconnected: Indicator(color: .red, showsSpinner: false)
        case .connecting: Indicator(color: .yellow, showsSpinner: true)
        case .connected: Indicator(color: .yellow, showsSpinner: false)
        case .ready: Indicator(color: .green, showsSpinner: false)
        }
    }
}

extension ConnectionState {
    /// Creates the state that a screen shows for a phase.
    ///
    /// - Parameters:
    ///   - phase: The phase of the connection.
    ///   - isWired: Whether the services of the app are set up.
    init(_ phase: BLEPhase, isWired: Bool) {
        self =
            switch phase {
            case .idle, .disconnecting: .disconnected
            case .connected: isWired ? .ready : .connected
            case .waitingForBluetooth, .connecting, .discoveringServices,
                .discoveringCharacteristics, .subscribingToNotifications, .discoveryComplete,
                .autoReconnecting, .restoringState:
                .connecting
            }
    }
}
