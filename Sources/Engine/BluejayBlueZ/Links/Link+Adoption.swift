internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib

/// Links that were there already: what they have, and whether they last.
extension Link {
    /// What the tree has of the device's services.
    var foundServices: ConnectMachine.Services {
        guard let path, client.objects.hasServices(path) else { return .none }
        let found = client.objects.serviceUUIDs(of: path)
        let named = device?.uuids ?? []
        return named.allSatisfy { found.contains($0) || Self.kept.contains($0) } ? .all : .some
    }

    /// Services that bluetoothd may keep to itself: Generic Access and Battery.
    private static let kept: Set<BluetoothUUID> = [
        BluetoothUUID(uint16: 0x1800), CharacteristicIdentifier.batteryLevel.service.uuid,
    ]

    /// Asks bluetoothd whether somebody ends the link.
    ///
    /// `Disconnect` takes bluetoothd two seconds, in which the properties show nothing and `Connect`
    /// succeeds. From 5.56 on it refuses `StartNotify` meanwhile, before it looks whether the
    /// characteristic has values to send: one that has none answers for a link that lasts, too, and nothing
    /// goes to the peripheral.
    func check(_ call: Int) {
        let tell = { [weak self] (life: ConnectMachine.Life) in
            guard let self else { return }
            attempt { $0.checked(call, life, now: self.client.clock.now) }
        }
        let version = client.objects.properties(adapter, Adapter1.interface)
            .flatMap { Adapter1($0).bluezVersion }
        guard version.map({ $0 >= BlueZVersion(5, 56) }) ?? true, let path = silentCharacteristic,
            let question = GattCharacteristic1.startNotify(path)
        else { return tell(.unknown) }
        _ = client.call(question, timeout: .seconds(5)) { result in
            guard case .failure(let error) = result else { return tell(.unknown) }
            switch BlueZFailure(error) {
            case .notConnected: tell(.ending)
            // NotSupported.
            case .attribute(0x06, _): tell(.lasting)
            default: tell(.unknown)
            }
        }
    }

    /// A characteristic without values of its own that bluetoothd does not keep to itself.
    private var silentCharacteristic: ObjectPath? {
        guard let path else { return nil }
        let services = client.objects.services(of: path).filter { !Self.kept.contains($0.uuid) }
        return services.lazy.flatMap(\.characteristics).first { !$0.canNotify }?.path
    }
}
