package import BluejayCore
package import BluejayDBus

/// The object path of a device or an adapter, as the upper layers name it.
package typealias BlueZPath = ObjectPath

/// The devices connected to an adapter, the centrals among them, and their identifiers.
///
/// Each address is read once rather than at each request of a central.
package final class CentralPool {
    /// A change to report to users.
    package enum Change: Equatable {
        case connected(PeripheralIdentifier)
        case disconnected(BlueZPath, PeripheralIdentifier)
        case came(PeripheralIdentifier)
        case left(PeripheralIdentifier)
        /// Pairing replaced a private address by the identity address.
        case identified(PeripheralIdentifier, as: PeripheralIdentifier, isCentral: Bool)
    }

    /// Called with all changes, in order, after `connected` and `centrals` have been updated.
    package var onChange: (([Change]) -> Void)?

    private let engine: BlueZEngine
    private var client: BlueZClient { engine.client }
    private var machine = CentralStateMachine<BlueZPath>()
    private var adapter: BlueZPath?
    /// Cached identifiers, each until its device changes.
    private var known: [BlueZPath: PeripheralIdentifier] = [:]
    /// The connected devices with the identifiers they had when they connected.
    private var present: [BlueZPath: PeripheralIdentifier] = [:]
    private var links: ObservationToken?

    package init(_ engine: BlueZEngine) {
        self.engine = engine
        links = engine.observeLinks { [weak self] in
            guard let self, adapter != nil else { return }
            update(at: adapter)
        }
    }

    /// All connected devices, in the order of connection.
    package var connected: [PeripheralIdentifier] { machine.connected.compactMap { present[$0] } }
    package var centrals: [PeripheralIdentifier] { machine.centrals.compactMap { present[$0] } }

    package var connectedPaths: Set<BlueZPath> { Set(machine.connected) }
    package var centralPaths: Set<BlueZPath> { Set(machine.centrals) }

    /// The path of a connected device, found by its identifier at connection or its present one.
    package func path(of device: PeripheralIdentifier) -> BlueZPath? {
        machine.connected.first { present[$0] == device || identifier(of: $0) == device }
    }

    /// The identifier of a device, or `nil` if bluetoothd does not know it.
    package func identifier(of device: ObjectPath) -> PeripheralIdentifier? {
        if let identifier = known[device] { return identifier }
        let identifier = client.objects.identifier(ofDevice: device)
        known[device] = identifier
        return identifier
    }

    package func receive(_ changes: [ObjectTree.Change]) {
        guard !known.isEmpty || !present.isEmpty else { return }
        var identified: [Change] = []
        for change in changes {
            guard let device = change.device else { continue }
            known[device] = nil
            guard change.namesAddress, let old = present[device],
                let new = identifier(of: device), new != old
            else { continue }
            present[device] = new
            identified.append(.identified(old, as: new, isCentral: machine.isCentral(device)))
        }
        tell(identified)
    }

    /// Updates the connected devices from an adapter; `nil` if no adapter is available.
    package func update(at adapter: BlueZPath?) {
        let lost = adapter == self.adapter ? [] : machine.lost()
        self.adapter = adapter
        guard let adapter else { return told(lost) }
        let objects = client.objects
        let devices = objects.connectedDevices(of: adapter).filter {
            present[$0] != nil || identifier(of: $0) != nil
        }
        told(lost + machine.observed(devices, ours: engine.ownLinks(over: adapter)))
    }

    /// Records that a device accessed a local attribute, which makes it a central.
    package func used(by device: BlueZPath) {
        let changes = machine.used(device)
        if !changes.isEmpty { told(changes) }
    }

    private func told(_ changes: [CentralStateMachine<BlueZPath>.Change]) {
        tell(
            changes.compactMap { change in
                switch change {
                case .connected(let device):
                    present[device] = identifier(of: device)
                    return present[device].map { .connected($0) }
                case .disconnected(let device):
                    return present.removeValue(forKey: device).map { .disconnected(device, $0) }
                case .came(let device): return present[device].map { .came($0) }
                case .left(let device): return present[device].map { .left($0) }
                }
            }
        )
    }

    private func tell(_ changes: [Change]) {
        if !changes.isEmpty { onChange?(changes) }
    }
}
