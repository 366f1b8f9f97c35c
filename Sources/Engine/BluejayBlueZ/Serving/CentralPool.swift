package import BluejayCore
package import BluejayDBus

/// What names a device or an adapter of bluetoothd to the layers above.
package typealias BlueZPath = ObjectPath

/// Who is connected to an adapter, who of them is a central, and who they are to users.
///
/// An address is read once, and not at each request of a central.
package final class CentralPool {
    /// What users are told, in this order.
    package enum Change: Equatable {
        case connected(PeripheralIdentifier)
        case disconnected(BlueZPath, PeripheralIdentifier)
        case came(PeripheralIdentifier)
        case left(PeripheralIdentifier)
        /// Pairing has replaced a private address by the device's own.
        case identified(PeripheralIdentifier, as: PeripheralIdentifier, isCentral: Bool)
    }

    /// Called when something has changed, with all of it; `connected` and `centrals` have it by then.
    package var onChange: (([Change]) -> Void)?

    private let engine: BlueZEngine
    private var client: BlueZClient { engine.client }
    private var machine = CentralStateMachine<BlueZPath>()
    private var adapter: BlueZPath?
    /// Until bluetoothd says something else of the device.
    private var known: [BlueZPath: PeripheralIdentifier] = [:]
    /// Those that are connected, with the names that they had then.
    private var present: [BlueZPath: PeripheralIdentifier] = [:]
    private var links: ObservationToken?

    package init(_ engine: BlueZEngine) {
        self.engine = engine
        links = engine.observeLinks { [weak self] in
            guard let self, adapter != nil else { return }
            update(at: adapter)
        }
    }

    /// Everybody who is connected, in the order of their coming.
    package var connected: [PeripheralIdentifier] { machine.connected.compactMap { present[$0] } }
    /// The centrals among them.
    package var centrals: [PeripheralIdentifier] { machine.centrals.compactMap { present[$0] } }

    /// Where the connected devices are.
    package var connectedPaths: Set<BlueZPath> { Set(machine.connected) }
    /// Where the centrals among them are.
    package var centralPaths: Set<BlueZPath> { Set(machine.centrals) }

    /// Where a connected device is, by what users knew of it at its connection or since; nil when it is not
    /// connected.
    package func path(of device: PeripheralIdentifier) -> BlueZPath? {
        machine.connected.first { present[$0] == device || identifier(of: $0) == device }
    }

    /// Nil when bluetoothd does not know the device.
    package func identifier(of device: ObjectPath) -> PeripheralIdentifier? {
        if let identifier = known[device] { return identifier }
        let identifier = client.objects.identifier(ofDevice: device)
        known[device] = identifier
        return identifier
    }

    /// What bluetoothd says of these devices has changed.
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

    /// Looks who is connected to an adapter; nil when there is none.
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

    /// A device has asked for an attribute of ours: it is a central, whoever began the link.
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
