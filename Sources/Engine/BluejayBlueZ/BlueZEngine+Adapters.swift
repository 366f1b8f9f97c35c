package import BluejayCore
package import BluejayDBus
internal import BluejayGLib

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
            adapter.isDiscoveringForOtherPrograms = isExternalDiscovery(path, adapter.isDiscovering)
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
        change(adapter, Adapter1.setAlias(adapter, alias), completion)
    }

    /// Removes a device with its keys from bluetoothd, disconnecting it first, even if others use the link.
    ///
    /// New requests for a link wait for the removal, which would end their link too.
    package func forget(
        _ address: DeviceAddress,
        of adapter: ObjectPath,
        completion: @escaping (AdapterFailure?) -> Void
    ) {
        guard let device = client.objects.device(address, of: adapter) else {
            return client.clock.onNextIteration { completion(.unknownDevice) }
        }
        removals[device, default: 0] += 1
        // A strong reference: the next user of Bluetooth must find the removal in progress.
        change(adapter, Adapter1.removeDevice(adapter, device)) { failure in
            self.removalEnded(address, device, adapter)
            completion(failure)
        }
    }

    private func removalEnded(
        _ address: DeviceAddress,
        _ device: ObjectPath,
        _ adapter: ObjectPath
    ) {
        removals[device, default: 1] -= 1
        guard removals[device] == 0 else { return }
        removals[device] = nil
        existingLink(to: address, over: adapter)?.removalEnded()
    }

    // bluetoothd's signals for the change may follow its reply, but precede the reply about the properties.
    private func change(
        _ adapter: ObjectPath,
        _ call: MethodCall,
        _ completion: @escaping (AdapterFailure?) -> Void
    ) {
        client.call(call) { [weak client] result in
            // A released client fails its calls, and no caller waits for them.
            guard let client else { return }
            switch result {
            case .failure(let error): completion(AdapterFailure(error))
            case .success:
                client.refresh(adapter, Adapter1.interface) { [weak client] in
                    if client != nil { completion(nil) }
                }
            }
        }
    }
}
