/// What a screen shows of a connection.
public enum ConnectionState: Hashable, Swift.Sendable {
    /// There is none.
    case disconnected
    /// It is being made, or made again.
    case connecting
    /// It is there, and what the app does over it is being set up.
    case connected
    /// Everything can be used.
    case ready

    /// A dot on a screen.
    public struct Indicator: Hashable, Swift.Sendable {
        /// What it looks like.
        public enum Colour: Hashable, Swift.Sendable {
            case red, yellow, green
        }

        /// The colour of the dot.
        public let colour: Colour
        /// Whether something turns beside it.
        public let showsSpinner: Bool
    }

    /// How it is shown.
    public var indicator: Indicator {
        switch self {
        case .disconnected: Indicator(colour: .red, showsSpinner: false)
        case .connecting: Indicator(colour: .yellow, showsSpinner: true)
        case .connected: Indicator(colour: .yellow, showsSpinner: false)
        case .ready: Indicator(colour: .green, showsSpinner: false)
        }
    }
}

extension ConnectionState {
    /// What a phase is to who looks at a screen.
    ///
    /// - Parameters:
    ///   - phase: How far the connection is.
    ///   - isWired: Whether the app is ready with what it does over it.
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
