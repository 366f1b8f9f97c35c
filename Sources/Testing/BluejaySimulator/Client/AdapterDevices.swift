internal import OrderedCollections

/// The devices that an adapter has objects for, and the identities whose keys it has.
final class AdapterDevices {
    private var byAddress: OrderedDictionary<RadioAddress, Device> = [:]
    /// The identities whose private addresses the controller resolves.
    private var resolvable: Set<RadioAddress> = []

    var values: [Device] { Array(byAddress.values) }

    subscript(address: RadioAddress) -> Device? { byAddress[address] }

    func contains(_ device: Device) -> Bool { byAddress[device.address] === device }

    /// The address of a peer as the controller reports it: the identity when its keys are known.
    func address(of peer: any RadioPeer) -> RadioAddress {
        if let identity = peer.identity, resolvable.contains(identity) { return identity }
        return peer.address
    }

    /// Makes the object of a device that was not known.
    ///
    /// A path says nothing of the type of the address. If the path is taken by the other type, bluetoothd
    /// makes no object, and does not answer the device either.
    func make(_ address: RadioAddress, on adapter: Adapter) -> Device? {
        guard byAddress[address.ofOtherType] == nil, let device = Device(address, on: adapter)
        else {
            return nil
        }
        byAddress[address] = device
        return device
    }

    func remove(_ device: Device) {
        byAddress[device.address] = nil
    }

    func move(_ device: Device, to identity: RadioAddress) {
        byAddress[device.address] = nil
        byAddress[identity] = device
    }

    /// Keeps the keys of an identity; returns `false` if they were kept already.
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
