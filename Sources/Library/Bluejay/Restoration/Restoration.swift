internal import BluejayBlueZ
internal import FoundationEssentials

/// The restoration of one Bluejay: what was there before, and what is to be remembered.
final class Restoration {
    /// How long a peripheral may take to be connected again.
    static let timeLimit = Timeout.seconds(15)

    /// What the earlier run was connected to, until it is restored or has failed.
    private(set) var peripheral: PeripheralIdentifier?
    /// The listens of the earlier run that have no listener yet.
    private(set) var listens: [CharacteristicIdentifier] = []

    private weak var restorer: (any BackgroundRestorer)?
    private weak var listenRestorer: (any ListenRestorer)?
    private let file: StateFile<SavedState>
    private var saved: SavedState
    private let log: Log

    init(_ config: BackgroundRestoreConfig, log: Log) {
        self.log = log
        restorer = config.backgroundRestorer
        listenRestorer = config.listenRestorer
        file = StateFile(config)
        saved = file.load(log: log) ?? SavedState(identifier: config.restoreIdentifier)
        guard let saved = saved.peripheral else { return }
        guard let identifier = saved.identifier else {
            log.warning(
                "what was connected is no peripheral of BlueZ; it is ignored",
                ["uuid": "\(saved.uuid)"]
            )
            return
        }
        peripheral = identifier
        listens = self.saved.listens.map(\.identifier).filter {
            (try? $0.validated()) != nil
        }
    }

    /// Whether calls have to wait for the restorer.
    var isUnderWay: Bool { peripheral != nil }

    /// The attempt has ended; asks the restorer what to do, and forgets what could not be restored.
    func ended(_ identifier: PeripheralIdentifier, _ error: (any Error)?) {
        guard peripheral != nil else { return }
        peripheral = nil
        if error != nil {
            listens = []
            remember(nil, [])
        }
        guard let restorer else {
            return log.warning("the background restorer has gone; nobody is asked")
        }
        let completion =
            error.map { restorer.didFailToRestoreConnection(to: identifier, error: $0) }
            ?? restorer.didRestoreConnection(to: identifier)
        if case .callback(let call) = completion { call() }
    }

    /// A listener was installed, or nobody wants the values any more.
    func handled(_ characteristic: CharacteristicIdentifier) {
        listens.removeAll { $0 == characteristic }
    }

    /// The connection has gone, and what was promised with it.
    func linkEnded() {
        if !isUnderWay { listens = [] }
    }

    /// A value came that nobody listens to; true when it shall stop.
    func received(
        _ value: Data,
        on characteristic: CharacteristicIdentifier,
        from peripheral: PeripheralIdentifier?
    ) -> Bool {
        guard listens.contains(characteristic), let peripheral else { return false }
        guard let listenRestorer else {
            log.warning(
                "the listen restorer has gone; a value is lost",
                ["characteristic": "\(characteristic)", "bytes": "\(value.count)"]
            )
            return false
        }
        let action = listenRestorer.didReceiveUnhandledListen(
            from: peripheral,
            on: characteristic,
            with: value
        )
        return action == .stopListen
    }

    /// Writes down what the next run shall find; nil is nothing.
    func remember(_ peripheral: PeripheralIdentifier?, _ listened: [CharacteristicIdentifier]) {
        var state = saved
        state.peripheral = peripheral.map { SavedState.Peripheral(uuid: $0.uuid, name: $0.name) }
        let all = listened + (peripheral == nil ? [] : listens.filter { !listened.contains($0) })
        state.listens = all.map { SavedState.Listen($0) }
        guard state != saved else { return }
        saved = state
        file.save(state, log: log)
    }
}
