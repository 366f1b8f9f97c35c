import BluejayBlueZ
import Foundation

@testable import Bluejay

/// A directory for the state files of one test, with the log lines about them.
final class StateFolder: LogSink {
    let url = FileManager.default.temporaryDirectory
        .appending(path: "bluejay-state-\(UUID().uuidString.prefix(13))")
    private(set) var lines: [String] = []

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    var log: Log { Log("bluejay.restoration", to: self) }

    var subscribers: [LogSubscriber] {
        [LogSubscriber(self) { [unowned self] in lines.append($0) }]
    }

    func write(_ line: String) { lines.append(line) }

    func file(_ identifier: String = "demo") -> StateFile<SavedState> {
        StateFile(config(identifier, Restorer()))
    }

    func config(_ identifier: String = "demo", _ restorer: Restorer) -> BackgroundRestoreConfig {
        var config = BackgroundRestoreConfig(
            restoreIdentifier: identifier,
            backgroundRestorer: restorer,
            listenRestorer: restorer
        )
        config.stateDirectory = url
        return config
    }

    func contents() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    }
}

/// Records the calls of the library.
final class Restorer: BackgroundRestorer, ListenRestorer {
    var action = ListenRestoreAction.promiseRestoration
    var completion = BackgroundRestoreCompletion.continue
    private(set) var asked: [String] = []

    func note(_ text: String) { asked.append(text) }

    func didRestoreConnection(to peripheral: PeripheralIdentifier) -> BackgroundRestoreCompletion {
        note("restored \(peripheral.name)")
        return completion
    }

    func didFailToRestoreConnection(
        to peripheral: PeripheralIdentifier,
        error: any Error
    ) -> BackgroundRestoreCompletion {
        note("failed \(peripheral.name): \((error as? BluejayError)?.errorCode ?? 0)")
        return completion
    }

    func didReceiveUnhandledListen(
        from peripheral: PeripheralIdentifier,
        on characteristic: CharacteristicIdentifier,
        with value: Data?
    ) -> ListenRestoreAction {
        note("unhandled \(characteristic.uuid) \(value.map(Array.init) ?? [])")
        return action
    }
}
