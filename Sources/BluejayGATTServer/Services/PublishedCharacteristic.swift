internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayDBus
internal import Foundation

/// A characteristic on the bus: its methods, and who is subscribed.
final class PublishedCharacteristic {
    let path: ObjectPath
    private let characteristic: LocalCharacteristic
    private let service: ObjectPath
    private let attribute: PublishedAttribute
    private var subscription = SubscriptionMachine()

    init(
        _ characteristic: LocalCharacteristic,
        at path: ObjectPath,
        service: ObjectPath,
        client: BlueZClient
    ) {
        self.characteristic = characteristic
        self.path = path
        self.service = service
        attribute = PublishedAttribute(
            PublishedAttribute.Source(
                get: { characteristic.value },
                set: { characteristic.value = $0 },
                onRead: characteristic.onRead,
                onWrite: characteristic.onWrite
            ),
            client: client
        )
    }

    /// `NotifyAcquired` and `WriteAcquired` are left out: with them bluetoothd would neither call
    /// `StartNotify` nor say who writes.
    var interface: BusInterface {
        let uuid = characteristic.uuid.canonicalText
        let flags = characteristic.properties.flags
        let service = service
        return BusInterface(
            BlueZ.gattCharacteristic,
            properties: [
                BusProperty("UUID", "s", get: { .string(uuid) }),
                BusProperty("Service", "o", get: { .objectPath(service) }),
                BusProperty("Flags", "as", get: { .strings(flags) }),
            ],
            methods: attribute.methods + [
                BusMethod("StartNotify") { [weak self] call in
                    call.reply()
                    self?.subscriptionEvent { $0.started() }
                },
                BusMethod("StopNotify") { [weak self] call in
                    call.reply()
                    self?.subscriptionEvent { $0.stopped() }
                },
                BusMethod("Confirm") { [weak self] call in
                    call.reply()
                    self?.characteristic.onConfirm?()
                },
            ]
        )
    }

    /// Gives a value to bluetoothd, which sends it to every subscriber.
    func send(_ value: Data, on objects: ObjectServer) {
        objects.emitPropertiesChanged(
            path,
            BlueZ.gattCharacteristic,
            [("Value", .bytes([UInt8](value)))]
        )
    }

    func forget() {
        subscriptionEvent { $0.lost() }
    }

    func centralsChanged(areAny: Bool) {
        subscriptionEvent { $0.centralsChanged(areAny: areAny) }
    }

    func centralLeft(_ device: String) {
        attribute.forget(device)
    }

    private func subscriptionEvent(_ event: (inout SubscriptionMachine) -> Bool) {
        guard event(&subscription) else { return }
        characteristic.isSubscribed = subscription.isSubscribed
        characteristic.onSubscriptionChange?(subscription.isSubscribed)
    }
}

/// A descriptor on the bus.
final class PublishedDescriptor {
    let path: ObjectPath
    private let descriptor: LocalDescriptor
    private let characteristic: ObjectPath
    private let attribute: PublishedAttribute

    init(
        _ descriptor: LocalDescriptor,
        at path: ObjectPath,
        characteristic: ObjectPath,
        client: BlueZClient
    ) {
        self.descriptor = descriptor
        self.path = path
        self.characteristic = characteristic
        attribute = PublishedAttribute(
            PublishedAttribute.Source(
                get: { descriptor.value },
                set: { descriptor.value = $0 },
                onRead: descriptor.onRead,
                onWrite: descriptor.onWrite
            ),
            client: client
        )
    }

    var interface: BusInterface {
        let uuid = descriptor.uuid.canonicalText
        let flags = descriptor.properties.flags
        let characteristic = characteristic
        return BusInterface(
            BlueZ.gattDescriptor,
            properties: [
                BusProperty("UUID", "s", get: { .string(uuid) }),
                BusProperty("Characteristic", "o", get: { .objectPath(characteristic) }),
                BusProperty("Flags", "as", get: { .strings(flags) }),
            ],
            methods: attribute.methods
        )
    }

    func centralLeft(_ device: String) {
        attribute.forget(device)
    }
}
