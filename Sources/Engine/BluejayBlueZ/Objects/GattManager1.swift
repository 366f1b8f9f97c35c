internal import BluejayDBus

/// `org.bluez.GattManager1`: registers local services at an adapter.
package enum GattManager1 {
    package static let interface = "org.bluez.GattManager1"

    /// Registers the objects below `application`; bluetoothd reads and publishes them before it replies.
    static func registerApplication(
        _ application: ObjectPath,
        at adapter: ObjectPath
    ) -> MethodCall {
        MethodCall(
            to: BlueZ.service,
            at: adapter,
            interface,
            "RegisterApplication",
            [.objectPath(application), .properties([])]
        )
    }

    static func unregisterApplication(
        _ application: ObjectPath,
        at adapter: ObjectPath
    ) -> MethodCall {
        MethodCall(
            to: BlueZ.service,
            at: adapter,
            interface,
            "UnregisterApplication",
            [.objectPath(application)]
        )
    }
}
