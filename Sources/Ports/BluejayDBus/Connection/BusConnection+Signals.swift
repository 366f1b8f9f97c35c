internal import DequeModule

extension BusConnection {
    /// Delivers the signals of a rule, in the order in which they come, until the subscription is
    /// cancelled.
    ///
    /// The bus handles the request before any call made after it. Equal rules are asked for once.
    /// A signal may come from anybody: the handler checks with `isFrom` where it matters. It gets the
    /// message as it came; nothing of it has been built.
    @discardableResult
    package func subscribe(
        _ rule: MatchRule,
        handler: @escaping (BusMessage) -> Void
    ) -> SignalSubscription {
        let subscription = SignalSubscription(rule, on: self, handler: handler)
        subscriptions.add(subscription)
        let count = ruleCounts[rule, default: 0]
        ruleCounts[rule] = count + 1
        if count == 0 { sendRule("AddMatch", rule) }
        return subscription
    }

    /// Sends a signal to everybody who asked for it.
    package func emit(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue] = []
    ) throws(BusError) {
        send(
            try BusMessage.signal(
                path: path,
                interface: interface,
                member: member,
                arguments: arguments
            )
        )
    }

    func remove(_ subscription: SignalSubscription) {
        guard subscriptions.remove(subscription) else { return }
        let rule = subscription.rule
        let count = ruleCounts[rule, default: 1] - 1
        ruleCounts[rule] = count == 0 ? nil : count
        if count == 0 { sendRule("RemoveMatch", rule) }
    }

    func deliver(_ message: BusMessage, _ names: BusMessage.Names) {
        let candidates = subscriptions.candidates(for: names)
        if candidates.count == 1 { return candidates[0].take(message) }
        for subscription in candidates {
            deliveries.append(Delivery(subscription: subscription, message: message))
        }
        finishDeliveries()
    }

    // A handler may cancel another's subscription, close the connection, or run a main loop in which a
    // further message comes and this is called again.
    func finishDeliveries() {
        while isOpen, let next = deliveries.popFirst() { next.subscription.take(next.message) }
        deliveries.removeAll()
    }

    private func sendRule(_ member: String, _ rule: MatchRule) {
        let bus = "org.freedesktop.DBus"
        // A refused rule has no signals; what depends on them runs into its own time limit.
        call(
            MethodCall(bus, "/org/freedesktop/DBus", bus, member, [.string(rule.text)]),
            timeout: .seconds(25)
        ) { _ in }
    }
}
