package import BluejayCore
package import BluejayDBus

// What users want to know of an adapter, and may change of it.

extension Adapter1 {
    /// Which of the interfaces beside its own an adapter has.
    ///
    /// Without `AdvertisementMonitorManager1` (BlueZ 5.56, experimental at first) or a controller that
    /// advertises, the object lacks the interface.
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

    /// Switches on or off; bluetoothd answers before `Powered` has the new value.
    static func setPowered(_ adapter: ObjectPath, _ isPowered: Bool) -> MethodCall {
        StandardInterfaces.set(adapter, interface, "Powered", .boolean(isPowered))
    }

    /// Names the adapter; an empty name is the computer's again.
    static func setAlias(_ adapter: ObjectPath, _ alias: String) -> MethodCall {
        StandardInterfaces.set(adapter, interface, "Alias", .string(alias))
    }

    /// Forgets a device with its keys; a link is cut first, which takes two seconds.
    static func removeDevice(_ adapter: ObjectPath, _ device: ObjectPath) -> MethodCall {
        call(adapter, "RemoveDevice", [.objectPath(device)])
    }
}

extension ObjectTree {
    /// Which bluetoothd has an adapter; nil when it is not known.
    package func bluezVersion(ofAdapter path: ObjectPath) -> BlueZVersion? {
        properties(path, Adapter1.interface).flatMap { Adapter1($0).bluezVersion }
    }

    /// The experimental features of the kernel that are on for an adapter, as UUID texts; empty before 5.63,
    /// which does not tell them.
    package func experimentalFeatures(ofAdapter path: ObjectPath) -> [String] {
        value(path, Adapter1.interface, "ExperimentalFeatures")?.texts ?? []
    }
}
