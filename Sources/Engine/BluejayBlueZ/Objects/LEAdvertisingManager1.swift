package import BluejayDBus

/// `org.bluez.LEAdvertisingManager1`: registers advertisements at an adapter.
package enum LEAdvertisingManager1 {
    package static let interface = "org.bluez.LEAdvertisingManager1"

    /// Registers `advertisement`; bluetoothd reads its properties and starts to send it before it
    /// replies.
    static func registerAdvertisement(
        _ advertisement: ObjectPath,
        at adapter: ObjectPath
    ) -> MethodCall {
        MethodCall(
            to: BlueZ.service,
            at: adapter,
            interface,
            "RegisterAdvertisement",
            [.objectPath(advertisement), .properties([])]
        )
    }

    static func unregisterAdvertisement(
        _ advertisement: ObjectPath,
        at adapter: ObjectPath
    ) -> MethodCall {
        MethodCall(
            to: BlueZ.service,
            at: adapter,
            interface,
            "UnregisterAdvertisement",
            [.objectPath(advertisement)]
        )
    }

    /// The advertising capabilities of an adapter.
    package struct Capabilities: Equatable {
        /// The number of further advertisements that the adapter accepts, or `nil` if unknown.
        package var supportedInstances: Int?
        /// Whether the controller has Extended Advertising.
        ///
        /// Its advertisements end with the first connection, and bluetoothd does not restart them.
        package var isExtended = false
        /// Whether clients can set the transmit power; reported with `--experimental` only before BlueZ
        /// 5.77.
        package var canSetTxPower = false

        package init() {}
    }

    /// Returns the capabilities of an adapter, or `nil` if it cannot advertise or does not exist.
    package static func capabilities(of adapter: ObjectPath, in objects: ObjectTree)
        -> Capabilities?
    {
        guard let properties = objects.properties(adapter, interface) else { return nil }
        var capabilities = Capabilities()
        capabilities.supportedInstances = BusNumber.instances.read(properties["SupportedInstances"])
        // bluetoothd lists secondary channels only for controllers with Extended Advertising.
        capabilities.isExtended = properties["SupportedSecondaryChannels"]?.texts?.isEmpty == false
        capabilities.canSetTxPower =
            properties["SupportedFeatures"]?.texts?.contains("CanSetTxPower") == true
        return capabilities
    }
}
