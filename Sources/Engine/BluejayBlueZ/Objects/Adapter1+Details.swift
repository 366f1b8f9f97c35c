package import BluejayCore
package import BluejayDBus

// Adapter properties and settings for users.

extension Adapter1 {
    /// The features shown by the other interfaces of an adapter's object.
    ///
    /// An interface is missing if the controller cannot advertise, or if bluetoothd lacks
    /// `AdvertisementMonitorManager1` (BlueZ 5.56, experimental at first).
    static func features(
        of adapter: ObjectPath,
        in objects: ObjectTree
    ) -> BluetoothAdapter.Features {
        var features: BluetoothAdapter.Features = []
        if objects.properties(adapter, LEAdvertisingManager1.interface) != nil {
            features.insert(.advertising)
        }
        if objects.properties(adapter, AdvertisementMonitorManager1.interface) != nil {
            features.insert(.advertisementMonitors)
        }
        return features
    }

    /// Switches the adapter on or off; bluetoothd replies before `Powered` changes.
    static func setPowered(_ adapter: ObjectPath, _ isPowered: Bool) -> MethodCall {
        StandardInterfaces.set(adapter, interface, "Powered", .boolean(isPowered))
    }

    /// Renames the adapter; an empty name restores the computer's name.
    static func setAlias(_ adapter: ObjectPath, _ alias: String) -> MethodCall {
        StandardInterfaces.set(adapter, interface, "Alias", .string(alias))
    }

    /// Removes a device and its keys.
    ///
    /// A connected device is disconnected first, which takes two seconds.
    static func removeDevice(_ adapter: ObjectPath, _ device: ObjectPath) -> MethodCall {
        call(adapter, "RemoveDevice", [.objectPath(device)])
    }
}

extension ObjectTree {
    /// The BlueZ version of an adapter's bluetoothd, or `nil` if unknown.
    package func bluezVersion(ofAdapter path: ObjectPath) -> BlueZVersion? {
        properties(path, Adapter1.interface).flatMap { Adapter1($0).bluezVersion }
    }

    /// UUIDs of the kernel's enabled experimental features; empty before BlueZ 5.63.
    package func experimentalFeatures(ofAdapter path: ObjectPath) -> [String] {
        value(path, Adapter1.interface, "ExperimentalFeatures")?.texts ?? []
    }
}
