internal import BluejayDBus

/// `org.bluez.AgentManager1`: registers agents at bluetoothd.
///
/// Each bus connection can register one agent. The first agent acts as the default agent until another
/// one requests that role. The engine never requests it, so that a desktop's agent stays the default.
struct AgentManager1 {
    private static let interface = "org.bluez.AgentManager1"
    private static let path: ObjectPath = "/org/bluez"

    /// Registers an agent; adapters are pairable while an agent is registered.
    static func registerAgent(_ agent: ObjectPath, capability: AgentCapability) -> MethodCall {
        MethodCall(
            to: BlueZ.service,
            at: path,
            interface,
            "RegisterAgent",
            [.objectPath(agent), .string(capability.name)]
        )
    }

    static func unregisterAgent(_ agent: ObjectPath) -> MethodCall {
        MethodCall(to: BlueZ.service, at: path, interface, "UnregisterAgent", [.objectPath(agent)])
    }
}
