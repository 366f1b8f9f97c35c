internal import BluejayDBus

/// The object of a device on the bus: its address, path and signals.
final class DeviceObject {
    unowned let adapter: Adapter
    /// The address; the identity once the peer has distributed it.
    private(set) var address: RadioAddress
    /// The path of the first address that the device had in this run of the daemon.
    private(set) var path: ObjectPath

    var world: SimulatedBlueZ { adapter.world }

    /// Creates the object of an address; returns `nil` if the address is not valid in a path.
    init?(_ address: RadioAddress, on adapter: Adapter) {
        guard let path = adapter.path.child(address.pathElement) else { return nil }
        self.adapter = adapter
        self.address = address
        self.path = path
    }

    /// Adopts the identity distributed by the peer; the object keeps its path.
    func adoptIdentity(_ identity: RadioAddress) {
        address = identity
        changed(["Address", "AddressType"])
    }

    /// Resets the object like a new daemon: the path follows the current address.
    func restart() {
        path = adapter.path.child(address.pathElement) ?? path
    }

    func changed(_ names: [String]) {
        world.bus.emitChanged(path, BlueZNames.device, names)
    }

    /// Signals the reason for the end of the link, as newer daemons do.
    func disconnected(_ reason: SimulatedDisconnectReason) {
        guard world.version.reportsReason else { return }
        try? world.bus.connection?.emit(
            path,
            BlueZNames.device,
            "Disconnected",
            [.string(reason.name), .string(reason.text)]
        )
    }
}
