internal import BluejayDBus

/// `org.bluez.LEAdvertisingManager1`: where an adapter takes advertisements.
package enum LEAdvertisingManager1 {
    package static let interface = "org.bluez.LEAdvertisingManager1"

    /// Has bluetoothd read the properties of `advertisement`, and send it; it answers then.
    static func registerAdvertisement(
        _ advertisement: ObjectPath,
        at adapter: ObjectPath
    ) -> MethodCall {
        MethodCall(
            BlueZ.service,
            adapter,
            interface,
            "RegisterAdvertisement",
            [.objectPath(advertisement), .properties([])]
        )
    }

    /// Takes it back.
    static func unregisterAdvertisement(
        _ advertisement: ObjectPath,
        at adapter: ObjectPath
    ) -> MethodCall {
        MethodCall(
            BlueZ.service,
            adapter,
            interface,
            "UnregisterAdvertisement",
            [.objectPath(advertisement)]
        )
    }
}
