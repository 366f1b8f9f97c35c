internal import BluejayBlueZ
internal import BluejayCore
internal import FoundationEssentials

/// Answers bluetoothd for one characteristic, and keeps who is subscribed.
final class PublishedCharacteristic: CharacteristicHandler {
    let characteristic: LocalCharacteristic
    private let attribute: PublishedAttribute
    private var subscription = SubscriptionMachine()
    private let log: Log

    init(
        _ characteristic: LocalCharacteristic,
        client: BlueZClient,
        centrals: Centrals,
        log: Log
    ) {
        self.characteristic = characteristic
        self.log = log
        attribute = PublishedAttribute(
            PublishedAttribute.Source(characteristic),
            client: client,
            centrals: centrals,
            log: log
        )
    }

    /// What bluetoothd reads of it.
    func served(descriptors: [ServedDescriptor]) -> ServedCharacteristic {
        ServedCharacteristic(
            uuid: characteristic.uuid.canonicalText,
            flags: characteristic.properties.flags,
            descriptors: descriptors,
            handler: self
        )
    }

    // MARK: bluetoothd

    func read(_ call: AttributeCall) {
        attribute.read(call)
    }

    func write(_ call: AttributeCall) {
        attribute.write(call)
    }

    func subscribed() {
        subscriptionEvent { $0.started() }
    }

    func unsubscribed() {
        subscriptionEvent { $0.stopped() }
    }

    func confirmed() {
        characteristic.onConfirm?()
    }

    // MARK: Centrals

    func forget() {
        subscriptionEvent { $0.lost() }
    }

    func centralsChanged(areAny: Bool) {
        subscriptionEvent { $0.centralsChanged(areAny: areAny) }
    }

    func centralLeft(_ device: BlueZPath) {
        attribute.forget(device)
    }

    private func subscriptionEvent(_ event: (inout SubscriptionMachine) -> Bool) {
        guard event(&subscription) else { return }
        characteristic.isSubscribed = subscription.isSubscribed
        log.debug(
            "subscription",
            [
                "characteristic": "\(characteristic.uuid)",
                "state": subscription.isSubscribed ? "begins" : "ends",
            ]
        )
        characteristic.onSubscriptionChange?(subscription.isSubscribed)
    }
}
