import Bluejay
import Foundation

/// A restorer other than an app delegate; block 30 is its reaction to unhandled values.
class Relauncher: BackgroundRestorer {
    let launch = "relaunch"

    func start() {
        let config = BackgroundRestoreConfig(
            restoreIdentifier: launch,
            backgroundRestorer: self,
            listenRestorer: listenRestorer
        )
        bluejay.start(
            mode: .new(
                StartOptions(enableBluetoothAlert: false, backgroundRestore: .enable(config))
            )
        )
    }

    var listenRestorer: any ListenRestorer { self }

    func didRestoreConnection(
        to peripheral: PeripheralIdentifier
    ) -> BackgroundRestoreCompletion {
        .callback { printLine("restored \(peripheral.name)") }
    }

    func didFailToRestoreConnection(
        to peripheral: PeripheralIdentifier,
        error: any Error
    ) -> BackgroundRestoreCompletion {
        .callback { printLine("not restored \(peripheral.name)") }
    }
}

// swift-format-ignore
// document: 30 listen restorer
extension Relauncher: ListenRestorer {
    func didReceiveUnhandledListen(
      from peripheral: PeripheralIdentifier,
      on characteristic: CharacteristicIdentifier,
      with value: Data?) -> ListenRestoreAction {
        // Re-install or defer installing a callback to a notifying characteristic.
        return .promiseRestoration
    }
}
// end

/// Chooses one of the actions of block 29.
final class StoppingRelauncher: Relauncher {
    private let stopper = Stopper()

    override var listenRestorer: any ListenRestorer { stopper }
}

private final class Stopper: ListenRestorer {
    func didReceiveUnhandledListen(
        from peripheral: PeripheralIdentifier,
        on characteristic: CharacteristicIdentifier,
        with value: Data?
    ) -> ListenRestoreAction {
        printLine("unhandled \(characteristic.uuid) \(Array(value ?? Data()))")
        let action = Document.ListenRestoreAction.stopListen.ours
        return action.documents == .stopListen ? action : .promiseRestoration
    }
}

enum Document {
    // swift-format-ignore
    // document: 29 ListenRestoreAction
    /**
     * Available actions to take on an unhandled listen event from background restoration.
     */
    public enum ListenRestoreAction {
        /// Bluejay will continue to receive but do nothing with the incoming listen events until a new listener is installed.
        case promiseRestoration
        /// Bluejay will attempt to turn off notifications on the peripheral.
        case stopListen
    }
    // end
}

extension Document.ListenRestoreAction {
    /// Converts an action of the document to the library's.
    var ours: ListenRestoreAction {
        switch self {
        case .promiseRestoration: .promiseRestoration
        case .stopListen: .stopListen
        }
    }
}

extension ListenRestoreAction {
    /// Has no `default`: the library has the actions of the document only.
    var documents: Document.ListenRestoreAction {
        switch self {
        case .promiseRestoration: .promiseRestoration
        case .stopListen: .stopListen
        }
    }
}
