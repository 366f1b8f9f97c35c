/// A handler for the signals of a rule, until it is cancelled.
package final class SignalSubscription {
    let rule: MatchRule
    /// Its position in the order of creation.
    fileprivate(set) var number = 0
    let handler: (BusMessage) -> Void
    private weak var connection: BusConnection?
    private(set) var isActive = true

    init(_ rule: MatchRule, on connection: BusConnection, handler: @escaping (BusMessage) -> Void) {
        self.rule = rule
        self.connection = connection
        self.handler = handler
    }

    func receive(_ message: BusMessage) {
        if isActive, rule.matchesObject(message) { handler(message) }
    }

    /// Ends the delivery, including that of a signal being delivered; later calls do nothing.
    package func cancel() {
        isActive = false
        connection?.remove(self)
        connection = nil
    }
}

/// A signal on its way to one of several handlers.
struct SignalDelivery {
    let subscription: SignalSubscription
    let message: BusMessage
}

/// The subscriptions of a connection, grouped by interface and member.
///
/// A signal is compared once with each pair of names instead of once with each rule.
struct SignalRouter {
    // A class, because comparing a signal with a struct copies its strings: 200 instructions a signal.
    private final class Route {
        let interface: String?
        let member: String?
        var subscriptions: [SignalSubscription]

        init(_ subscription: SignalSubscription) {
            interface = subscription.rule.interface
            member = subscription.rule.member
            subscriptions = [subscription]
        }

        func matches(_ headerFields: BusMessage.HeaderFields) -> Bool {
            if let member, !headerFields.hasMember(member) { return false }
            if let interface, !headerFields.hasInterface(interface) { return false }
            return true
        }
    }

    private var routes: [Route] = []
    private var lastNumber = 0

    mutating func add(_ subscription: SignalSubscription) {
        lastNumber += 1
        subscription.number = lastNumber
        if let index = index(of: subscription.rule) {
            routes[index].subscriptions.append(subscription)
        } else {
            routes.append(Route(subscription))
        }
    }

    /// Removes a subscription; returns false if it was not registered.
    mutating func remove(_ subscription: SignalSubscription) -> Bool {
        guard let route = index(of: subscription.rule),
            let index = routes[route].subscriptions.firstIndex(where: { $0 === subscription })
        else { return false }
        routes[route].subscriptions.remove(at: index)
        if routes[route].subscriptions.isEmpty { routes.remove(at: route) }
        return true
    }

    /// Returns the subscriptions that match the names of a signal, in the order of their creation.
    func candidates(for headerFields: BusMessage.HeaderFields) -> [SignalSubscription] {
        var found: [SignalSubscription] = []
        var isSorted = true
        for index in routes.indices where routes[index].matches(headerFields) {
            // Usually a single route matches, whose list is returned without a copy.
            if found.isEmpty {
                found = routes[index].subscriptions
            } else {
                found += routes[index].subscriptions
                isSorted = false
            }
        }
        return isSorted ? found : found.sorted { $0.number < $1.number }
    }

    private func index(of rule: MatchRule) -> Int? {
        routes.firstIndex { $0.interface == rule.interface && $0.member == rule.member }
    }
}
