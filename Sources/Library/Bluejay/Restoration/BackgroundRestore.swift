internal import BluejayBlueZ
public import FoundationEssentials

/// Names what is restored: a program that restores several things gives each a name of its own.
///
/// Two processes that use one name at the same time overwrite each other's state.
public typealias RestoreIdentifier = String

/// What iOS hands an app at its launch; accepted and ignored, because Linux knows by the state file.
public typealias LaunchOptions = [String: Any]?

/// Whether a restart finds the peripheral and the listens again.
public enum BackgroundRestoreMode {
    /// Nothing is remembered.
    case disable
    /// The connected peripheral and its listens are remembered in a file.
    case enable(BackgroundRestoreConfig)
}

/// How the peripheral and the listens of an earlier run are found again.
///
/// bluetoothd keeps a link when the program that made it is killed. With a restore identifier Bluejay
/// remembers the connected peripheral and its listens in a small file, `bluejay/IDENTIFIER.json` under
/// `$XDG_STATE_HOME` (`~/.local/state`). The next start with the same identifier takes the link over, or
/// connects again within 15 seconds, turns the listens on, and asks the restorers. What relaunches the
/// program is up to you: `Restart=always` in a systemd unit, for example.
///
/// A disconnect, and the release of the instance, which disconnects, leave nothing to restore. What is
/// to be left to the next run is left by a program that ends with `exit`, as by one that is killed.
///
/// A file that is damaged or of somebody else is ignored with a line in the log.
public struct BackgroundRestoreConfig {
    /// The name of what is restored.
    public let restoreIdentifier: RestoreIdentifier

    /// Is told how it went; Bluejay holds it weakly.
    public let backgroundRestorer: any BackgroundRestorer

    /// Is asked about values that nobody listens to; Bluejay holds it weakly.
    public let listenRestorer: any ListenRestorer

    /// Accepted and ignored.
    public let launchOptions: LaunchOptions

    /// The directory of the file; nil is `bluejay` under `$XDG_STATE_HOME`.
    public var stateDirectory: URL?

    /// Makes a configuration.
    public init(
        restoreIdentifier: RestoreIdentifier,
        backgroundRestorer: any BackgroundRestorer,
        listenRestorer: any ListenRestorer,
        launchOptions: LaunchOptions = nil
    ) {
        self.restoreIdentifier = restoreIdentifier
        self.backgroundRestorer = backgroundRestorer
        self.listenRestorer = listenRestorer
        self.launchOptions = launchOptions
    }

    /// Whether there is a state of an earlier run to restore.
    public var isRestoringFromBackground: Bool {
        StateFile(self).load(log: nil)?.peripheral?.identifier != nil
    }
}

/// What is done when a restoration has ended.
public enum BackgroundRestoreCompletion {
    /// Calls something at once, before the connection observers.
    case callback(() -> Void)
    /// Goes on.
    case `continue`
}

/// Is told how the restoration of a connection went.
///
/// All calls come on the main loop, before those of the connection observers.
public protocol BackgroundRestorer: AnyObject {
    /// The peripheral of the earlier run is connected; its listens are being turned on.
    func didRestoreConnection(to peripheral: PeripheralIdentifier) -> BackgroundRestoreCompletion

    /// The peripheral of the earlier run could not be connected again; it is forgotten.
    func didFailToRestoreConnection(
        to peripheral: PeripheralIdentifier,
        error: any Error
    ) -> BackgroundRestoreCompletion
}

/// Available actions to take on a value that came on a restored listen without a listener.
public enum ListenRestoreAction: Hashable, Swift.Sendable {
    /// The notifications stay on; values come here until a listener is installed.
    case promiseRestoration
    /// The notifications are turned off.
    case stopListen
}

/// Is asked about values of listens that were on before the restart and have no listener yet.
public protocol ListenRestorer: AnyObject {
    /// A value came and nobody listens.
    ///
    /// Called on the main loop for every such value. Install a listener with `listen(to:)`, here or
    /// later, and answer ``ListenRestoreAction/promiseRestoration``.
    func didReceiveUnhandledListen(
        from peripheral: PeripheralIdentifier,
        on characteristic: CharacteristicIdentifier,
        with value: Data?
    ) -> ListenRestoreAction
}
