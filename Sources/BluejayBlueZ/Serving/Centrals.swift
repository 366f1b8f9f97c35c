package import BluejayCore
package import BluejayDBus

/// What names a device or an adapter of bluetoothd to the layers above.
package typealias BlueZPath = ObjectPath

/// Who the devices of bluetoothd are to users.
///
/// An address is read once, and not at each request of a central.
package final class Centrals {
    private let client: BlueZClient
    private var known: [BlueZPath: PeripheralIdentifier] = [:]

    package init(_ client: BlueZClient) {
        self.client = client
    }

    /// Nil when bluetoothd does not know the device.
    package func identifier(of device: ObjectPath) -> PeripheralIdentifier? {
        if let identifier = known[device] { return identifier }
        let identifier = client.objects.identifier(ofDevice: device)
        known[device] = identifier
        return identifier
    }

    /// What bluetoothd says of these devices has changed.
    package func forget(_ changes: [ObjectTree.Change]) {
        guard !known.isEmpty else { return }
        for change in changes {
            if let device = change.device { known[device] = nil }
        }
    }
}
