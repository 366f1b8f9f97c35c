internal import OrderedCollections

/// The devices with objects at an adapter, and the identities whose keys it has.
final class AdapterDevices {
    private var byAddress: OrderedDictionary<RadioAddress, Device> = [:]
    /// The identities whose private addresses the controller resolves.
    private var resolvable: Set<RadioAddress> = []

    var values: [Device] { Array(byAddress.values) }

    subscript(address: RadioAddress) -> Device? { byAddress[address] }

    func contains(_ device: Device) -> Bool { byAddress[device.address] === device }

    /// The address of a peer as reported by the controller: its identity if the keys are known.
    func address(of peer: any RadioPeer) -> RadioAddress {
        if let identity = peer.identity, resolvable.contains(identity) { return identity }
        return peer.address
    }

    /// Creates the object of an unknown device.
    ///
    /// A path does not contain the type of the address. If a device with the other type has the path,
    /// bluetoothd creates no object and does not answer the device either.
    func make(_ address: RadioAddress, on adapter: Adapter) -> Device? {
        guard byAddress[address.withOtherType] == nil, let device = Device(address, on: adapter)
        else {
            return nil
        }
        byAddress[address] = device
        device.object.isKnown = true
        return device
    }

    func remove(_ device: Device) {
        device.object.isKnown = false
        byAddress[device.address] = nil
    }

    func move(_ device: Device, to identity: RadioAddress) {
        byAddress[device.address] = nil
        byAddress[identity] = device
    }

    /// Stores the keys of an identity; returns `false` if they were already stored.
    func addKeys(of identity: RadioAddress) -> Bool { resolvable.insert(identity).inserted }

    func removeKeys(of identity: RadioAddress) {
        resolvable.remove(identity)
    }

    /// Keeps only the devices that a new daemon knows: those that were connected.
    func restart() {
        for device in values {
            if device.isTemporary { remove(device) } else { device.restart() }
        }
    }
}
