package import BluejayDBus

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

    /// What an adapter can do for advertisements.
    package struct Facts: Equatable {
        /// How many more it takes; nil when it does not say.
        package var room: Int?
        /// Whether the controller has Extended Advertising: what it advertises then ends with the first
        /// connection, and nobody begins it again.
        package var isExtended = false
        /// Whether the power is ours to say; before 5.77 told with `--experimental` only.
        package var canSetTxPower = false

        package init() {}
    }

    /// Nil when the adapter takes no advertisements, or is not there.
    package static func facts(of adapter: ObjectPath, in objects: ObjectTree) -> Facts? {
        guard let properties = objects.properties(adapter, interface) else { return nil }
        var facts = Facts()
        facts.room = BusNumber.instances.read(properties["SupportedInstances"])
        // There for a controller with Extended Advertising only, whatever else bluetoothd shows.
        facts.isExtended = properties["SupportedSecondaryChannels"]?.texts?.isEmpty == false
        facts.canSetTxPower =
            properties["SupportedFeatures"]?.texts?.contains("CanSetTxPower") == true
        return facts
    }
}
