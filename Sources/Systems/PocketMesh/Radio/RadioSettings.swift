internal import BluejayCore
internal import FoundationEssentials

/// The settings of a `BLEStateMachine`, which do not change.
struct RadioSettings {
    var connectionTimeout = Duration.seconds(10)
    var serviceDiscoveryTimeout = Duration.seconds(40)
    var writeTimeout = Duration.seconds(5)
    var autoReconnectDiscoveryTimeout = Duration.seconds(15)
    var writePacingDelay = Duration.zero
    /// The name of the state file, or `nil` to save nothing.
    var restoreIdentifier: String?
    /// The directory of the state file, or `nil` for the standard directory.
    var stateDirectory: URL?
    /// A connection that ended sooner counts as a failed attempt.
    var stableConnectionInterval = Duration.seconds(5)
    /// The maximum delay of bluetoothd's reports about a link and its adapter.
    var linkLossSettleTime = Duration.milliseconds(250)
    /// The pauses between two reconnection attempts.
    var backoff = Backoff()

    var phaseTimeouts: PhaseStateMachine.Timeouts {
        PhaseStateMachine.Timeouts(
            connectionTimeout: connectionTimeout,
            discoveryTimeout: serviceDiscoveryTimeout,
            reconnectDiscoveryTimeout: autoReconnectDiscoveryTimeout,
            linkLossSettleTime: linkLossSettleTime,
            stableConnectionInterval: stableConnectionInterval
        )
    }

    var writes: WriteStateMachine.Settings {
        WriteStateMachine.Settings(timeout: writeTimeout, pacing: writePacingDelay)
    }

    /// Converts a time in seconds; an invalid or negative time becomes zero, and a century is the maximum.
    static func duration(_ seconds: TimeInterval) -> Duration {
        seconds > 0 ? .seconds(min(seconds, 3.2e9)) : .zero
    }
}
