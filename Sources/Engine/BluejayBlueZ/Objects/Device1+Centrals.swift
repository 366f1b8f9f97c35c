package import BluejayCore
package import BluejayDBus

// The device information that the server needs.

extension ObjectTree {
    /// The identifier of a device for users, or `nil` if the device is unknown.
    package func identifier(ofDevice path: ObjectPath) -> PeripheralIdentifier? {
        guard let properties = properties(path, Device1.interface),
            let address = DeviceAddress(device: properties)
        else { return nil }
        return PeripheralIdentifier(address: address, name: properties["Alias"]?.text)
    }

    package func connectedDevices(of adapter: ObjectPath) -> [ObjectPath] {
        paths(with: Device1.interface, below: adapter).filter { isConnected($0) }
    }
}

extension ObjectTree.Change {
    /// Whether an adapter was added, removed or changed.
    package var concernsAdapter: Bool {
        switch self {
        case .added(_, let interface), .removed(_, let interface), .changed(_, let interface, _, _):
            interface == Adapter1.interface
        }
    }

    /// Whether the advertising capacity of an adapter changed.
    package var concernsAdvertising: Bool {
        if case .changed(_, LEAdvertisingManager1.interface, _, _) = self { true } else { false }
    }

    /// Whether a device may have connected or disconnected.
    package var concernsConnection: Bool {
        switch self {
        case .added(_, let interface), .removed(_, let interface): interface == Device1.interface
        case .changed(_, let interface, let values, _):
            interface == Device1.interface && values["Connected"] != nil
        }
    }

    package var changesAddress: Bool {
        guard case .changed(_, Device1.interface, let values, let invalidated) = self else {
            return false
        }
        return Device1.changesAddress(values, invalidated: invalidated)
    }

    /// The device that was added, removed or changed, or `nil` for another kind of object.
    package var device: ObjectPath? {
        switch self {
        case .added(let path, let interface), .removed(let path, let interface),
            .changed(let path, let interface, _, _):
            interface == Device1.interface ? path : nil
        }
    }
}
