internal import BluejayDBus

/// The interfaces of D-Bus itself that the engine uses; specified by the D-Bus specification.
package enum StandardInterfaces {
    package static let properties = "org.freedesktop.DBus.Properties"
    package static let objectManager = "org.freedesktop.DBus.ObjectManager"
    /// The bus, its object and its interface.
    package static let bus = "org.freedesktop.DBus"
    private static let busPath: ObjectPath = "/org/freedesktop/DBus"

    /// Reads all objects of bluetoothd.
    static let getManagedObjects = MethodCall(
        BlueZ.service,
        .root,
        objectManager,
        "GetManagedObjects"
    )

    /// Reads all properties of one interface of one object of bluetoothd.
    static func getAll(_ path: ObjectPath, _ interface: String) -> MethodCall {
        MethodCall(BlueZ.service, path, properties, "GetAll", [.string(interface)])
    }

    /// Sets a property of an object of bluetoothd.
    static func set(
        _ path: ObjectPath,
        _ interface: String,
        _ name: String,
        _ value: BusValue
    ) -> MethodCall {
        let arguments: [BusValue] = [.string(interface), .string(name), .variant(value)]
        return MethodCall(BlueZ.service, path, properties, "Set", arguments)
    }

    /// Asks the bus who owns bluetoothd's name.
    static let getOwner = MethodCall(
        bus,
        busPath,
        bus,
        "GetNameOwner",
        [.string(BlueZ.service)]
    )

    /// Asks the bus to start bluetoothd, as a desktop's bus does.
    static let startService = MethodCall(
        bus,
        busPath,
        bus,
        "StartServiceByName",
        [.string(BlueZ.service), .uint32(0)]
    )

    /// bluetoothd comes, goes or changes.
    static let ownerChanged = MatchRule(
        sender: bus,
        interface: bus,
        member: "NameOwnerChanged",
        firstArgument: BlueZ.service
    )

    /// Objects of bluetoothd come and go.
    static let objectsChanged = MatchRule(
        sender: BlueZ.service,
        interface: objectManager,
        path: .root
    )

    /// Whether a signal of `objectsChanged` tells of new objects.
    static func isAddition(_ message: BusMessage) -> Bool { message.member == "InterfacesAdded" }

    /// Properties of bluetoothd's objects change.
    static let propertiesChanged = MatchRule(
        sender: BlueZ.service,
        interface: properties,
        member: "PropertiesChanged",
        pathNamespace: BlueZ.root
    )
}
