internal import BluejayDBus

/// The standard interfaces of the D-Bus specification that the engine uses.
package enum StandardInterfaces {
    package static let properties = "org.freedesktop.DBus.Properties"
    package static let objectManager = "org.freedesktop.DBus.ObjectManager"
    /// The name and interface of the bus itself.
    package static let bus = "org.freedesktop.DBus"
    private static let busPath: ObjectPath = "/org/freedesktop/DBus"

    static let getManagedObjects = MethodCall(
        to: BlueZ.service,
        at: .root,
        objectManager,
        "GetManagedObjects"
    )

    static func getAll(_ path: ObjectPath, _ interface: String) -> MethodCall {
        MethodCall(to: BlueZ.service, at: path, properties, "GetAll", [.string(interface)])
    }

    static func set(
        _ path: ObjectPath,
        _ interface: String,
        _ name: String,
        _ value: BusValue
    ) -> MethodCall {
        let arguments: [BusValue] = [.string(interface), .string(name), .variant(value)]
        return MethodCall(to: BlueZ.service, at: path, properties, "Set", arguments)
    }

    /// Requests the unique name of bluetoothd.
    static let getOwner = MethodCall(
        to: bus,
        at: busPath,
        bus,
        "GetNameOwner",
        [.string(BlueZ.service)]
    )

    /// Requests the start of bluetoothd, which the bus of a desktop supports.
    static let startService = MethodCall(
        to: bus,
        at: busPath,
        bus,
        "StartServiceByName",
        [.string(BlueZ.service), .uint32(0)]
    )

    /// bluetoothd appeared, disappeared or was replaced.
    static let ownerChanged = MatchRule(
        sender: bus,
        interface: bus,
        member: "NameOwnerChanged",
        firstArgument: BlueZ.service
    )

    /// Objects of bluetoothd were added or removed.
    static let objectsChanged = MatchRule(
        sender: BlueZ.service,
        interface: objectManager,
        path: .root
    )

    /// Whether a signal of `objectsChanged` reports new objects.
    static func isAddition(_ message: BusMessage) -> Bool { message.member == "InterfacesAdded" }

    /// Properties of bluetoothd's objects changed.
    static let propertiesChanged = MatchRule(
        sender: BlueZ.service,
        interface: properties,
        member: "PropertiesChanged",
        pathNamespace: BlueZ.root
    )
}
