internal import BluejayCore
internal import FoundationEssentials

/// What is given to a `BLEStateMachine` and does not change.
struct RadioSettings {
    var connectionTimeout = Duration.seconds(10)
    var serviceDiscoveryTimeout = Duration.seconds(40)
    var writeTimeout = Duration.seconds(5)
    var autoReconnectDiscoveryTimeout = Duration.seconds(15)
    var writePacingDelay = Duration.zero
    /// The name of the state file; nil remembers nothing.
    var restoreIdentifier: String?
    /// Where the state file is; nil is the standard directory.
    var stateDirectory: URL?
    /// A connection that ended sooner counts as an attempt that failed.
    var steadyTime = Duration.seconds(5)
    /// How long what bluetoothd says of a link and of its adapter may lag behind what has happened.
    var lag = Duration.milliseconds(250)
    /// The pauses between two attempts to come back.
    var pauses = BackOff()

    var phases: PhaseStateMachine.Settings {
        PhaseStateMachine.Settings(
            connectionTimeout: connectionTimeout,
            discoveryTimeout: serviceDiscoveryTimeout,
            returnDiscoveryTimeout: autoReconnectDiscoveryTimeout,
            lag: lag,
            steadyTime: steadyTime
        )
    }

    var writes: WriteStateMachine.Settings {
        WriteStateMachine.Settings(timeout: writeTimeout, pacing: writePacingDelay)
    }

    /// A time in seconds as its users give it: what is no number, or below zero, is none at all, and a
    /// century is the longest.
    static func duration(_ seconds: TimeInterval) -> Duration {
        seconds > 0 ? .seconds(min(seconds, 3.2e9)) : .zero
    }
}
