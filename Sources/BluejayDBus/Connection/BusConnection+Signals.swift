/// One handler for the signals of a rule, until it is cancelled.
package final class SignalSubscription {
    let rule: MatchRule
    let handler: (BusMessage) -> Void
    private weak var connection: BusConnection?
    private(set) var isActive = true

    init(_ rule: MatchRule, on connection: BusConnection, handler: @escaping (BusMessage) -> Void) {
        self.rule = rule
        self.connection = connection
        self.handler = handler
    }

    /// Ends the delivery, that of a signal being delivered as well; later calls do nothing.
    package func cancel() {
        isActive = false
        connection?.remove(self)
        connection = nil
    }
}

extension BusConnection {
    /// Delivers the signals of a rule, in the order in which they come, until the subscription is
    /// cancelled.
    ///
    /// The bus handles the request before any call made after it. Equal rules are asked for once.
    /// A signal may come from anybody: the handler checks `sender` where it matters.
    @discardableResult
    package func subscribe(
        _ rule: MatchRule,
        handler: @escaping (BusMessage) -> Void
    ) -> SignalSubscription {
        let subscription = SignalSubscription(rule, on: self, handler: handler)
        subscriptions.append(subscription)
        let count = ruleCounts[rule, default: 0]
        ruleCounts[rule] = count + 1
        if count == 0 { sendRule("AddMatch", rule) }
        return subscription
    }

    /// Sends a signal to everybody who asked for it, or to one connection only.
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
        guard let index = subscriptions.firstIndex(where: { $0 === subscription }) else { return }
        subscriptions.remove(at: index)
        let rule = subscription.rule
        let count = ruleCounts[rule, default: 1] - 1
        ruleCounts[rule] = count == 0 ? nil : count
        if count == 0 { sendRule("RemoveMatch", rule) }
    }

    func deliver(_ message: BusMessage) {
        // A handler may cancel another's subscription, or close the connection.
        for subscription in subscriptions
        where isOpen && subscription.isActive && subscription.rule.covers(message) {
            subscription.handler(message)
        }
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
