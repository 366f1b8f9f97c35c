internal import BluejayDBus

/// `org.bluez.GattManager1`: where an adapter takes services of this machine.
package enum GattManager1 {
    package static let interface = "org.bluez.GattManager1"

    /// Has bluetoothd read the objects below `application`, and publish them; it answers then.
    static func registerApplication(
        _ application: ObjectPath,
        at adapter: ObjectPath
    ) -> MethodCall {
        MethodCall(
            BlueZ.service,
            adapter,
            interface,
            "RegisterApplication",
            [.objectPath(application), .properties([])]
        )
    }

    /// Takes it back.
    static func unregisterApplication(
        _ application: ObjectPath,
        at adapter: ObjectPath
    ) -> MethodCall {
        MethodCall(
            BlueZ.service,
            adapter,
            interface,
            "UnregisterApplication",
            [.objectPath(application)]
        )
    }
}
