package import BluejayCore
package import BluejayDBus

/// Requests to the adapters themselves, which need neither a link nor a scan.
///
/// Each `completion` is called once, on a later iteration, when `client.objects` has the result. If the
/// engine is released first, `completion` is not called.
extension BlueZEngine {
    /// The public descriptions of the adapters, in the order of their numbers.
    package var bluetoothAdapters: [BluetoothAdapter] {
        let objects = client.objects
        return objects.adapters.compactMap { path in
            guard let properties = objects.properties(path, Adapter1.interface),
                var adapter = Adapter1(properties).adapter(named: path.name)
            else { return nil }
            adapter.features.formUnion(Adapter1.features(of: path, in: objects))
            adapter.isDiscoveringForOtherPrograms = discoverySessions.isExternalDiscovery(
                path,
                adapter.isDiscovering
            )
            return adapter
        }
    }

    /// The path of the adapter with a name or address, or nil.
    package func adapter(named name: String) -> ObjectPath? {
        client.objects.knownAdapters.first { $0.matches(name) }?.path
    }

    /// Switches an adapter on or off, and waits for the change.
    package func setPowered(
        _ adapter: ObjectPath,
        _ isOn: Bool,
        completion: @escaping (AdapterFailure?) -> Void
    ) {
        let power = PowerSwitch(client, adapter, isOn: isOn)
        let id = ObjectIdentifier(power)
        powerSwitches[id] = power
        power.start { [weak self] failure in
            self?.powerSwitches[id] = nil
            completion(failure)
        }
    }

    /// Renames an adapter; an empty name restores the computer's name.
    package func setAlias(
        _ adapter: ObjectPath,
        _ alias: String,
        completion: @escaping (AdapterFailure?) -> Void
    ) {
        client.changeAdapter(adapter, with: Adapter1.setAlias(adapter, alias), completion)
    }
}
