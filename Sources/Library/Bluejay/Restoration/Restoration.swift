internal import BluejayBlueZ
internal import BluejayGLib
internal import FoundationEssentials

/// The restoration of one `Bluejay`: the state of the previous run, and the state to save.
final class Restoration {
    /// The time limit for reconnecting to a peripheral.
    static let timeLimit = Timeout.seconds(15)

    /// The peripheral of the earlier run, until it is restored or the restoration has failed.
    private(set) var peripheral: PeripheralIdentifier?
    /// The listens of the earlier run that have no listener yet.
    private(set) var listens: [CharacteristicIdentifier] = []

    private weak var restorer: (any BackgroundRestorer)?
    private weak var listenRestorer: (any ListenRestorer)?
    private let file: StateFile<SavedState>
    private var saved: SavedState
    private let log: Log
    private let context: MainContext
    private let isolation: ObserverIsolation

    init(_ config: BackgroundRestoreConfig, on context: MainContext, log: Log) {
        self.context = context
        isolation = config.isolation
        self.log = log
        restorer = config.backgroundRestorer
        listenRestorer = config.listenRestorer
        file = StateFile(config)
        saved = file.load(log: log) ?? SavedState(identifier: config.restoreIdentifier)
        guard let saved = saved.peripheral else { return }
        guard let identifier = saved.identifier else {
            log.warning(
                "saved peripheral ignored: not a BlueZ identifier",
                ["uuid": "\(saved.uuid)"]
            )
            return
        }
        peripheral = identifier
        listens = self.saved.listens.map(\.identifier).filter {
            (try? $0.validated()) != nil
        }
    }

    /// Whether calls must wait for the restorer.
    var isInProgress: Bool { peripheral != nil }

    /// Ends the attempt, notifies the restorer, and removes the state of a failed restoration.
    func ended(_ identifier: PeripheralIdentifier, _ error: (any Error)?) {
        guard peripheral != nil else { return }
        peripheral = nil
        if error != nil {
            listens = []
            save(nil, [])
        }
        guard let restorer else {
            return log.warning("restoration result not reported: background restorer deallocated")
        }
        isolation.perform(on: context) {
            let completion =
                error.map { restorer.didFailToRestoreConnection(to: identifier, error: $0) }
                ?? restorer.didRestoreConnection(to: identifier)
            if case .callback(let call) = completion { call() }
        }
    }

    /// Removes a listen, because a listener was installed or its values are no longer wanted.
    func markHandled(_ characteristic: CharacteristicIdentifier) {
        listens.removeAll { $0 == characteristic }
    }

    /// Removes the restored listens, because the connection has ended.
    func linkEnded() {
        if !isInProgress { listens = [] }
    }

    /// Passes a value without a listener to the restorer; `stop` turns off the notifications.
    func received(
        _ value: Data,
        on characteristic: CharacteristicIdentifier,
        from peripheral: PeripheralIdentifier?,
        stop: @escaping () -> Void
    ) {
        guard listens.contains(characteristic), let peripheral else { return }
        guard let listenRestorer else {
            return log.warning(
                "value lost: listen restorer deallocated",
                ["characteristic": "\(characteristic)", "bytes": "\(value.count)"]
            )
        }
        let isLate = isolation.isElsewhere(on: context)
        let stop = UncheckedTransfer(stop)
        isolation.perform(on: context) { [context] in
            let action = listenRestorer.didReceiveUnhandledListen(
                from: peripheral,
                on: characteristic,
                with: value
            )
            guard action == .stopListen else { return }
            if isLate { context.post { stop.value() } } else { stop.value() }
        }
    }

    /// Saves the state for the next run; `nil` means nothing to restore.
    func save(_ peripheral: PeripheralIdentifier?, _ characteristics: [CharacteristicIdentifier]) {
        var state = saved
        state.peripheral = peripheral.map { SavedState.Peripheral(uuid: $0.uuid, name: $0.name) }
        let pending = listens.filter { !characteristics.contains($0) }
        let all = characteristics + (peripheral == nil ? [] : pending)
        state.listens = all.map { SavedState.Listen($0) }
        guard state != saved else { return }
        saved = state
        file.save(state, log: log)
    }
}
