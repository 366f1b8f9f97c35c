package import BluejayCore
package import BluejayDBus
internal import BluejayGLib

/// What users ask of the adapters themselves: no call of these needs a link or a scan.
///
/// Each `done` is called once, in a later turn, and what it tells is in `client.objects` by then; never when
/// the engine goes before.
extension BlueZEngine {
    /// The adapters as users are told of them, in the order of their numbers.
    package var bluetoothAdapters: [BluetoothAdapter] {
        let objects = client.objects
        return objects.adapters.compactMap { path in
            guard let properties = objects.properties(path, Adapter1.interface),
                var adapter = Adapter1(properties).facts(named: path.name)
            else { return nil }
            adapter.features.formUnion(Adapter1.features(of: path, in: objects))
            adapter.isDiscoveringForOthers = isForeignDiscovery(path, adapter.isDiscovering)
            return adapter
        }
    }

    /// The object of an adapter by its name or address; nil when there is none.
    package func adapter(called name: String) -> ObjectPath? {
        client.objects.knownAdapters.first { $0.isCalled(name) }?.path
    }

    /// Switches an adapter on or off, and waits until it is.
    package func setPowered(
        _ adapter: ObjectPath,
        _ isOn: Bool,
        done: @escaping (AdapterFailure?) -> Void
    ) {
        let power = PowerSwitch(client, adapter, isOn: isOn)
        let id = ObjectIdentifier(power)
        switches[id] = power
        power.begin { [weak self] failure in
            self?.switches[id] = nil
            done(failure)
        }
    }

    /// Names an adapter; an empty name is the computer's again.
    package func setAlias(
        _ adapter: ObjectPath,
        _ alias: String,
        done: @escaping (AdapterFailure?) -> Void
    ) {
        change(adapter, Adapter1.setAlias(adapter, alias), done)
    }

    /// Forgets a device with its keys; a link is cut first, whoever uses it.
    ///
    /// Who wants a link to it meanwhile waits: it would go with the device.
    package func forget(
        _ address: DeviceAddress,
        of adapter: ObjectPath,
        done: @escaping (AdapterFailure?) -> Void
    ) {
        guard let device = client.objects.device(address, of: adapter) else {
            return client.clock.later { done(.unknownDevice) }
        }
        removals[device, default: 0] += 1
        // Strongly: who uses Bluetooth next on this context has to find what is under way.
        change(adapter, Adapter1.removeDevice(adapter, device)) { failure in
            self.removalEnded(address, device, adapter)
            done(failure)
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

    // What the change made bluetoothd signal may come behind the answer: the properties of the adapter
    // are asked for, whose answer comes behind that.
    private func change(
        _ adapter: ObjectPath,
        _ call: MethodCall,
        _ done: @escaping (AdapterFailure?) -> Void
    ) {
        client.call(call) { [weak client] result in
            // A client that goes fails its calls; nobody waits any more who could be told.
            guard let client else { return }
            switch result {
            case .failure(let error): done(AdapterFailure(error))
            case .success:
                client.refresh(adapter, Adapter1.interface) { [weak client] in
                    if client != nil { done(nil) }
                }
            }
        }
    }
}
