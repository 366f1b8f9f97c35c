internal import BluejayDBus

/// `org.bluez.AgentManager1`: where bluetoothd takes agents.
///
/// One to a connection to the bus. The first of all is the default one while nobody asks to be that; we
/// never do, so that a desktop's stays what it is.
struct AgentManager1 {
    private static let interface = "org.bluez.AgentManager1"
    private static let path: ObjectPath = "/org/bluez"

    /// Registers an agent; adapters are pairable while there is one.
    static func registerAgent(_ agent: ObjectPath, capability: String) -> MethodCall {
        MethodCall(
            BlueZ.service,
            path,
            interface,
            "RegisterAgent",
            [.objectPath(agent), .string(capability)]
        )
    }

    /// Takes it back.
    static func unregisterAgent(_ agent: ObjectPath) -> MethodCall {
        MethodCall(BlueZ.service, path, interface, "UnregisterAgent", [.objectPath(agent)])
    }
}
