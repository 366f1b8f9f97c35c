internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib

/// Notifies the user of a server of the devices that connect and disconnect.
final class CentralNotifier {
    var onChange: (([CentralTracker.Change]) -> Void)?
    private let publicState: LockedValue<ServerState>
    private let handlers: ServerHandlers
    private let log: Log
    private var centrals: CentralTracker?
    private var pendingChanges: [CentralTracker.Change] = []
    private var isNotifying = false

    init(_ context: ServerContext) {
        publicState = context.publicState
        handlers = context.handlers
        log = context.log
    }

    /// Follows the devices of an engine.
    func start(_ engine: BlueZEngine) -> CentralTracker {
        let centrals = CentralTracker(engine.links)
        centrals.onChange = { [weak self] in self?.changed($0) }
        self.centrals = centrals
        return centrals
    }

    func end() {
        centrals = nil
    }

    func receive(_ changes: [ObjectTree.Change]) {
        centrals?.receive(changes)
    }

    func update(at adapter: BlueZPath?) {
        centrals?.update(at: adapter)
    }

    // State for other threads is set first. A callback of the user may cause further changes, which are
    // reported afterwards.
    private func changed(_ changes: [CentralTracker.Change]) {
        publicState.value.connectedDevices = centrals?.connected ?? []
        publicState.value.centrals = centrals?.centrals ?? []
        onChange?(changes)
        pendingChanges += changes
        guard !isNotifying else { return }
        isNotifying = true
        while !pendingChanges.isEmpty { notify(pendingChanges.removeFirst()) }
        isNotifying = false
    }

    private func notify(_ change: CentralTracker.Change) {
        switch change {
        case .connected(let device):
            log.debug("connected", ["central": "\(device)"])
            handlers.onConnectionChange.applied?(device, true)
        case .disconnected(_, let device):
            log.debug("disconnected", ["central": "\(device)"])
            handlers.onConnectionChange.applied?(device, false)
        case .centralConnected(let central): handlers.onCentralChange.applied?(.came(central))
        case .centralDisconnected(let central): handlers.onCentralChange.applied?(.left(central))
        case .identified(let old, let new, let isCentral):
            log.debug("address changed", ["central": "\(new)", "before": "\(old)"])
            if isCentral { handlers.onCentralChange.applied?(.identified(old, as: new)) }
        }
    }
}
