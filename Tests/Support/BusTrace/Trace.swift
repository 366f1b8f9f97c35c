/// The events between BlueZ and its clients, one per line, without incidental differences.
package struct Trace: Hashable, Swift.Sendable {
    /// The events in their order; none is empty, contains a line break or begins with `#` or `-`.
    package var events: [String]

    package init(_ events: [String] = []) {
        self.events = events
    }
}

enum EventKind {
    static func isSignal(_ event: String) -> Bool { event.hasPrefix("signal ") }

    static func isReplyToClient(_ event: String) -> Bool {
        event.hasPrefix("reply ") || event.hasPrefix("error ")
    }

    /// Whether a client rather than BlueZ causes the event.
    static func isFromClient(_ event: String) -> Bool {
        event.hasPrefix("call ") || event.hasPrefix("client's ")
    }

    /// Whether the order of two events is significant for BlueZ.
    static func isOrdered(_ earlier: String, _ later: String) -> Bool {
        if isFromClient(later), !isFromClient(earlier) { return false }
        // A read of the objects has no effect; its time depends on the client.
        if earlier == "call GetManagedObjects", isSignal(later) { return false }
        // The time of a notification depends on the peripheral, but it must follow the subscription.
        if notifyingObject(earlier) != nil { return false }
        if let object = notifyingObject(later) { return startsNotifying(earlier, object) }
        return true
    }

    /// Returns the call that an answer belongs to, as far as its text shows: the method and its object.
    static func subject(_ event: String) -> Substring? {
        for beginning in ["call ", "reply ", "error "] where event.hasPrefix(beginning) {
            return event.dropFirst(beginning.count).prefix { $0 != ":" }
        }
        return nil
    }

    static func isNotification(_ event: String) -> Bool { event.hasPrefix(notifications) }

    /// The event of a run of notifications, without the name of the characteristic.
    static let notifications = "signal value… "

    private static func notifyingObject(_ event: String) -> Substring? {
        event.hasPrefix(notifications) ? event.dropFirst(notifications.count) : nil
    }

    private static func startsNotifying(_ event: String, _ object: Substring) -> Bool {
        event == "signal \(object) Notifying=true" || subject(event) == "StartNotify \(object)"
    }
}
