internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

/// Answers bluetoothd's calls for one characteristic, and tracks its subscription.
final class CharacteristicRequestHandler: CharacteristicHandler {
    let characteristic: LocalCharacteristic
    private let attribute: AttributeRequestHandler
    /// Nil unless `subscriptions` is `.perCentral`.
    let subscribers: SubscriberList?
    private var subscription = NotifyingStateMachine()
    let context: MainContext
    private let log: Log

    init(_ characteristic: LocalCharacteristic, _ service: ServiceContext) {
        self.characteristic = characteristic
        log = service.log
        context = service.client.context
        subscribers =
            characteristic.subscriptions == .perCentral ? SubscriberList(service) : nil
        attribute = AttributeRequestHandler(
            AttributeRequestHandler.Source(characteristic, on: service.client.context),
            service
        )
        subscribers?.sockets.onConfirm = { [weak self] in self?.confirmed() }
        subscribers?.onSubscriberChange = { [weak characteristic] in
            characteristic?.onSubscriberChange?($0)
        }
        subscribers?.sockets.onChange = { [weak self] in self?.subscribersChanged() }
    }

    func exported(descriptors: [ExportedDescriptor]) -> ExportedCharacteristic {
        ExportedCharacteristic(
            uuid: characteristic.uuid.canonicalText,
            flags: characteristic.properties.flags,
            descriptors: descriptors,
            handler: self,
            sockets: subscribers?.sockets.handlers
        )
    }

    // MARK: bluetoothd

    func read(_ call: AttributeRequest) {
        attribute.read(call)
    }

    func write(_ call: AttributeRequest) {
        attribute.write(call)
    }

    func subscribed() {
        subscriptionEvent { $0.started() }
    }

    func unsubscribed() {
        subscriptionEvent { $0.stopped() }
    }

    func confirmed() {
        characteristic.onConfirm.map { context.callback($0)() }
    }

    // MARK: Centrals

    func forget() {
        subscribers?.sockets.lost(retaining: self)
        subscriptionEvent { $0.lost() }
    }

    func centralsChanged(hasCentrals: Bool) {
        subscriptionEvent { $0.centralsChanged(hasCentrals: hasCentrals) }
    }

    func centralDisconnected(_ device: BlueZPath) {
        attribute.forget(device)
    }

    private func subscriptionEvent(_ event: (inout NotifyingStateMachine) -> Bool) {
        if event(&subscription) { reportSubscription() }
    }

    private func subscribersChanged() {
        let subscribers = subscribers?.subscribers ?? []
        reportSubscription()
        characteristic.setSubscribers(subscribers)
        characteristic.onSubscribersChange.map { context.callback($0)(subscribers) }
    }

    private func reportSubscription() {
        let isSubscribed =
            subscription.isSubscribed || subscribers?.sockets.isSubscribed ?? false
        guard isSubscribed != characteristic.isSubscribed else { return }
        characteristic.setSubscribed(isSubscribed)
        log.debug(
            "subscription",
            [
                "characteristic": "\(characteristic.uuid)",
                "state": isSubscribed ? "begins" : "ends",
            ]
        )
        characteristic.onSubscriptionChange.map { context.callback($0)(isSubscribed) }
    }
}
