internal import BluejayGLib
public import FoundationEssentials

/// The name of the state to restore.
///
/// A program that restores several states gives each a different name. Two processes that use one name at the
/// same time overwrite each other's state.
public typealias RestoreIdentifier = String

/// The launch options of an iOS app; accepted and ignored, because Linux uses the state file.
public typealias LaunchOptions = [String: Any]?

/// Whether a restart restores the peripheral and the listens.
public enum BackgroundRestoreMode {
    /// Do not save the state.
    case disable
    /// Save the connected peripheral and its listens in a file.
    case enable(BackgroundRestoreConfig)
}

/// The configuration for restoring the peripheral and the listens of an earlier run.
///
/// bluetoothd keeps a link when the program that established it is killed. With a restore identifier Bluejay
/// saves the connected peripheral and its listens in a small file, `bluejay/IDENTIFIER.json` under
/// `$XDG_STATE_HOME` (`~/.local/state`). The next start with the same identifier takes over the link, or
/// reconnects within 15 seconds, turns on the listens, and calls the restorers. Relaunching the program is up
/// to you: `Restart=always` in a systemd unit, for example.
///
/// A disconnect leaves nothing to restore, nor does the release of the instance, which disconnects. To leave
/// a link to the next run, end the program with `exit`; a killed program leaves it, too.
///
/// A damaged file, or a file with another identifier, is ignored and logged.
public struct BackgroundRestoreConfig {
    /// The name of the state to restore.
    public let restoreIdentifier: RestoreIdentifier

    /// The restorer that receives the result; Bluejay holds it weakly.
    public let backgroundRestorer: any BackgroundRestorer

    /// The restorer for values without a listener; Bluejay holds it weakly.
    public let listenRestorer: any ListenRestorer

    /// Accepted and ignored.
    public let launchOptions: LaunchOptions

    /// The directory of the file, or `nil` for `bluejay` under `$XDG_STATE_HOME`.
    public var stateDirectory: URL?

    /// The isolation of the restorers.
    let isolation: ObserverIsolation

    /// Creates a configuration.
    ///
    /// `isolation`, the isolation of the caller by default, is that of both restorers.
    public init(
        restoreIdentifier: RestoreIdentifier,
        backgroundRestorer: any BackgroundRestorer,
        listenRestorer: any ListenRestorer,
        launchOptions: LaunchOptions = nil,
        isolation: (any Actor)? = #isolation
    ) {
        self.restoreIdentifier = restoreIdentifier
        self.backgroundRestorer = backgroundRestorer
        self.listenRestorer = listenRestorer
        self.launchOptions = launchOptions
        self.isolation = ObserverIsolation(isolation)
    }
}

/// The next step after a restoration.
public enum BackgroundRestoreCompletion {
    /// Call a closure at once, before the connection observers.
    case callback(() -> Void)
    /// Continue.
    case `continue`
}

/// A delegate that receives the result of a restoration.
///
/// All methods are called on the main loop, before those of the connection observers.
public protocol BackgroundRestorer: AnyObject {
    /// Reports that the peripheral of the earlier run is connected and its listens are being turned on.
    func didRestoreConnection(to peripheral: PeripheralIdentifier) -> BackgroundRestoreCompletion

    /// Reports that the connection to the peripheral of the earlier run failed; the saved state is removed.
    func didFailToRestoreConnection(
        to peripheral: PeripheralIdentifier,
        error: any Error
    ) -> BackgroundRestoreCompletion
}

/// The action for a value that arrived on a restored listen without a listener.
public enum ListenRestoreAction: Hashable, Swift.Sendable {
    /// Keep the notifications on; the restorer receives values until a listener is installed.
    case promiseRestoration
    /// Turn the notifications off.
    case stopListen
}

/// A delegate that receives values of restored listens that have no listener yet.
public protocol ListenRestorer: AnyObject {
    /// Reports a value without a listener, and returns the action for its listen.
    ///
    /// Called on the main loop for every such value. Install a listener with `listen(to:)`, here or later,
    /// and return ``ListenRestoreAction/promiseRestoration``.
    func didReceiveUnhandledListen(
        from peripheral: PeripheralIdentifier,
        on characteristic: CharacteristicIdentifier,
        with value: Data?
    ) -> ListenRestoreAction
}
