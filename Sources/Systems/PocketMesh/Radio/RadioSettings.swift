internal import BluejayCore
internal import FoundationEssentials

/// The settings of a `BLEStateMachine` and its machines, which do not change.
struct RadioSettings: Equatable {
    /// The limit until the link is up, for a caller.
    var connectionTimeout = Duration.seconds(10)
    /// The limit from the link to the subscription.
    var serviceDiscoveryTimeout = Duration.seconds(40)
    /// The limit of a write, from its start.
    var writeTimeout = Duration.seconds(5)
    /// The `serviceDiscoveryTimeout` of a reconnection.
    var autoReconnectDiscoveryTimeout = Duration.seconds(15)
    /// The pause between two writes.
    var writePacingDelay = Duration.zero
    /// The name of the state file, or `nil` to save nothing.
    var restoreIdentifier: String?
    /// The directory of the state file, or `nil` for the standard directory.
    var stateDirectory: URL?
    /// A connection that ended sooner counts as a failed attempt: the pauses keep growing.
    var stableConnectionInterval = Duration.seconds(5)
    /// How much later than the end of a link the loss of Bluetooth that caused it may be reported.
    var linkLossSettleTime = Duration.milliseconds(250)
    /// The pauses between two reconnection attempts.
    var backoff = Backoff()

    /// Converts a time in seconds; an invalid or negative time becomes zero, and a century is the maximum.
    static func duration(_ seconds: TimeInterval) -> Duration {
        seconds > 0 ? .seconds(min(seconds, 3.2e9)) : .zero
    }
}
