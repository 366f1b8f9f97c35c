internal import BluejayDBus

/// The object of a device on the bus: its address, its path, its signals.
final class DeviceObject {
    unowned let adapter: Adapter
    /// The identity, once the peer has given it away.
    private(set) var address: RadioAddress
    /// The path of the first address that the device had in this run of the daemon.
    private(set) var path: ObjectPath

    var world: SimulatedBlueZ { adapter.world }

    /// Makes the object of an address; `nil` if the address makes no path.
    init?(_ address: RadioAddress, on adapter: Adapter) {
        guard let path = adapter.path.child(address.pathElement) else { return nil }
        self.adapter = adapter
        self.address = address
        self.path = path
    }

    /// Takes the identity that the peer has given away; the object keeps its path.
    func take(_ identity: RadioAddress) {
        address = identity
        changed(["Address", "AddressType"])
    }

    /// Starts like a new daemon: the path follows the present address.
    func restart() {
        path = adapter.path.child(address.pathElement) ?? path
    }

    /// Signals the present values of properties.
    func changed(_ names: [String]) {
        world.bus.emitChanged(path, Names.device, names)
    }

    /// Signals why the link has ended, as newer daemons do.
    func disconnected(_ reason: SimulatedDisconnectReason) {
        guard world.kind.tellsReason else { return }
        try? world.bus.connection?.emit(
            path,
            Names.device,
            "Disconnected",
            [.string(reason.name), .string(reason.text)]
        )
    }
}
