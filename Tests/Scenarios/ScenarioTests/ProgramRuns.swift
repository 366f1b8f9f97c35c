import Bluejay
import Foundation
import Glibc
import Staging

/// Successive runs of one program with their own directory.
struct ProgramRuns {
    let home: TemporaryFolder

    init() throws { home = try TemporaryFolder() }

    /// Lets a run connect and listen, then kills it.
    func live(
        _ context: ScenarioContext,
        as identifier: String = "demo",
        until signal: Int32 = SIGKILL
    ) async throws {
        let life = try await KilledRun(identifier, in: home.url, bus: context.testbed.busAddress)
        await life.end(signal)
    }

    /// Writes the state file of a run that was connected to a peripheral.
    func leave(_ peripheral: PeripheralIdentifier) throws {
        let folder = home.url.appending(path: "bluejay")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let state = """
            {"version": 1, "identifier": "demo", "listens": [],
             "peripheral": {"uuid": "\(peripheral.uuid)", "name": "\(peripheral.name)"}}
            """
        try Data(state.utf8).write(to: folder.appending(path: "demo.json"))
    }

    /// Starts a run with the same identifier.
    func next(
        _ context: ScenarioContext,
        as identifier: String = "demo",
        answering action: ListenRestoreAction = .promiseRestoration,
        reconnects: Bool = false,
        starting then: @escaping @Sendable (RecordingCentral) -> Void = { _ in }
    ) async -> ProgramRun {
        let life = await ProgramRun(context, reconnects: reconnects)
        life.restorer.action = action
        await life.start(identifier, in: home.url, then)
        return life
    }

    func isLeft(_ identifier: String = "demo") -> Bool {
        Restorer().config(identifier, in: home.url).isRestoringFromBackground
    }
}

final class ProgramRun: Swift.Sendable {
    let central: RecordingCentral
    let restorer = Restorer()

    init(_ context: ScenarioContext, reconnects: Bool = false) async {
        central = await RecordingCentral(
            context.testbed.busAddress,
            adapter: "hci0",
            reconnects: reconnects,
            starts: false
        )
        restorer.central = central
    }

    func start(
        _ identifier: String,
        in home: URL,
        _ then: @escaping @Sendable (RecordingCentral) -> Void = { _ in }
    ) async {
        await central.run { [restorer] central in
            central.bluejay.start(restoring: restorer.config(identifier, in: home))
            then(central)
        }
    }

    func record() async -> [String] { await central.record() }

    /// The record without the restorer's values, which arrive at any time.
    func recordWithoutValues() async -> [String] {
        await record().filter { !$0.hasPrefix("unhandled") }
    }
}

extension Bluejay {
    func start(restoring config: BackgroundRestoreConfig) {
        start(
            mode: .new(
                StartOptions(enableBluetoothAlert: false, backgroundRestore: .enable(config))
            )
        )
    }
}

/// Records its calls in its central.
///
/// Settings are made before the start; everything else runs on the central's loop.
final class Restorer: BackgroundRestorer, ListenRestorer, @unchecked Swift.Sendable {
    weak var central: RecordingCentral?
    var action = ListenRestoreAction.promiseRestoration
    var then: (RecordingCentral) -> Void = { _ in }
    var onValue: (RecordingCentral) -> Void = { _ in }

    func config(_ identifier: String, in home: URL) -> BackgroundRestoreConfig {
        var config = BackgroundRestoreConfig(
            restoreIdentifier: identifier,
            backgroundRestorer: self,
            listenRestorer: self
        )
        config.stateDirectory = home.appending(path: "bluejay")
        return config
    }

    func didRestoreConnection(to peripheral: PeripheralIdentifier) -> BackgroundRestoreCompletion {
        central?.recordEvent("restored \(peripheral.name)")
        return .callback { [self] in central.map(then) }
    }

    func didFailToRestoreConnection(
        to peripheral: PeripheralIdentifier,
        error: any Error
    ) -> BackgroundRestoreCompletion {
        central?.recordEvent("failed \(peripheral.name): \(errorName(error))")
        return .continue
    }

    func didReceiveUnhandledListen(
        from peripheral: PeripheralIdentifier,
        on characteristic: CharacteristicIdentifier,
        with value: Data?
    ) -> ListenRestoreAction {
        let hex = (value ?? Data()).map { String($0, radix: 16) }.joined(separator: " ")
        central?.recordEvent("unhandled \(hex)")
        central.map(onValue)
        return action
    }
}

final class RestorationLog: LogObserver, @unchecked Swift.Sendable {
    private weak var central: RecordingCentral?

    init(_ central: RecordingCentral) { self.central = central }

    func debug(_ text: String) { central?.recordEvent("log \(text)") }
}
