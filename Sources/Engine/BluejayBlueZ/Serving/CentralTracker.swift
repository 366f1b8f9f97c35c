package import BluejayCore
package import BluejayDBus

/// The object path of a device or an adapter, as the upper layers name it.
package typealias BlueZPath = ObjectPath

/// The devices connected to an adapter, the centrals among them, and their identifiers.
///
/// Each address is read once rather than at each request of a central.
package final class CentralTracker {
    /// A change to report to users.
    package enum Change: Equatable {
        case connected(PeripheralIdentifier)
        case disconnected(BlueZPath, PeripheralIdentifier)
        case centralConnected(PeripheralIdentifier)
        case centralDisconnected(PeripheralIdentifier)
        /// Pairing replaced a private address by the identity address.
        case identified(PeripheralIdentifier, as: PeripheralIdentifier, isCentral: Bool)
    }

    /// Called with all changes, in order, after `connected` and `centrals` have been updated.
    package var onChange: (([Change]) -> Void)?

    private let links: LinkRegistry
    private let client: BlueZClient
    private var machine = CentralStateMachine<BlueZPath>()
    private var adapter: BlueZPath?
    /// Cached identifiers, each until its device changes.
    private var cachedIdentifiers: [BlueZPath: PeripheralIdentifier] = [:]
    /// The connected devices with the identifiers they had when they connected.
    private var connectedIdentifiers: [BlueZPath: PeripheralIdentifier] = [:]
    private var linkObservation: ObservationToken?

    package init(_ links: LinkRegistry) {
        self.links = links
        client = links.client
        linkObservation = links.observe { [weak self] in
            guard let self, adapter != nil else { return }
            update(at: adapter)
        }
    }

    /// All connected devices, in the order of connection.
    package var connected: [PeripheralIdentifier] {
        machine.connected.compactMap { connectedIdentifiers[$0] }
    }
    package var centrals: [PeripheralIdentifier] {
        machine.centrals.compactMap { connectedIdentifiers[$0] }
    }

    package var connectedPaths: Set<BlueZPath> { Set(machine.connected) }
    package var centralPaths: Set<BlueZPath> { Set(machine.centrals) }

    /// The path of a connected device, found by its identifier at connection or its present one.
    package func path(of device: PeripheralIdentifier) -> BlueZPath? {
        machine.connected.first {
            connectedIdentifiers[$0] == device || identifier(of: $0) == device
        }
    }

    /// The identifier of a device, or `nil` if bluetoothd does not know it.
    package func identifier(of device: ObjectPath) -> PeripheralIdentifier? {
        if let identifier = cachedIdentifiers[device] { return identifier }
        let identifier = client.objects.identifier(ofDevice: device)
        cachedIdentifiers[device] = identifier
        return identifier
    }

    package func receive(_ changes: [ObjectTree.Change]) {
        guard !cachedIdentifiers.isEmpty || !connectedIdentifiers.isEmpty else { return }
        var identified: [Change] = []
        for change in changes {
            guard let device = change.device else { continue }
            cachedIdentifiers[device] = nil
            guard change.changesAddress, let old = connectedIdentifiers[device],
                let new = identifier(of: device), new != old
            else { continue }
            connectedIdentifiers[device] = new
            identified.append(.identified(old, as: new, isCentral: machine.isCentral(device)))
        }
        notify(identified)
    }

    /// Updates the connected devices from an adapter; `nil` if no adapter is available.
    package func update(at adapter: BlueZPath?) {
        let lost = adapter == self.adapter ? [] : machine.lost()
        self.adapter = adapter
        guard let adapter else { return apply(lost) }
        let objects = client.objects
        let devices = objects.connectedDevices(of: adapter).filter {
            connectedIdentifiers[$0] != nil || identifier(of: $0) != nil
        }
        apply(lost + machine.observed(devices, linked: links.ownLinks(over: adapter)))
    }

    /// Records that a device accessed a local attribute, which makes it a central.
    package func attributeAccessed(by device: BlueZPath) {
        let changes = machine.attributeAccessed(device)
        if !changes.isEmpty { apply(changes) }
    }

    private func apply(_ changes: [CentralStateMachine<BlueZPath>.Change]) {
        notify(
            changes.compactMap { change in
                switch change {
                case .connected(let device):
                    connectedIdentifiers[device] = identifier(of: device)
                    return connectedIdentifiers[device].map { .connected($0) }
                case .disconnected(let device):
                    return connectedIdentifiers.removeValue(forKey: device).map {
                        .disconnected(device, $0)
                    }
                case .centralConnected(let device):
                    return connectedIdentifiers[device].map { .centralConnected($0) }
                case .centralDisconnected(let device):
                    return connectedIdentifiers[device].map { .centralDisconnected($0) }
                }
            }
        )
    }

    private func notify(_ changes: [Change]) {
        if !changes.isEmpty { onChange?(changes) }
    }
}
