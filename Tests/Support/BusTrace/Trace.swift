/// What happened between BlueZ and its clients, a line an event, free of accident.
package struct Trace: Hashable, Swift.Sendable {
    /// The events in their order; none is empty, holds a line break or begins with `#` or `-`.
    package var events: [String]

    package init(_ events: [String] = []) {
        self.events = events
    }
}

/// What kind of event a line is.
enum EventKind {
    static func isSignal(_ event: String) -> Bool { event.hasPrefix("signal ") }

    static func isAnswerToClient(_ event: String) -> Bool {
        event.hasPrefix("reply ") || event.hasPrefix("error ")
    }

    /// Whether a client does it, and not BlueZ.
    static func isOfClient(_ event: String) -> Bool {
        event.hasPrefix("call ") || event.hasPrefix("client's ")
    }

    /// Whether the order of two events says something of BlueZ.
    static func isOrdered(_ earlier: String, _ later: String) -> Bool {
        if isOfClient(later), !isOfClient(earlier) { return false }
        // A reading causes nothing; when it is made is the client's pace.
        if earlier == "call GetManagedObjects", isSignal(later) { return false }
        // A peripheral sends when it likes, but nothing before it is listened to.
        if notifyingObject(earlier) != nil { return false }
        if let object = notifyingObject(later) { return beginsNotifying(earlier, object) }
        return true
    }

    /// The call that an answer belongs to, as far as its text says: the method and its object.
    static func subject(_ event: String) -> Substring? {
        for beginning in ["call ", "reply ", "error "] where event.hasPrefix(beginning) {
            return event.dropFirst(beginning.count).prefix { $0 != ":" }
        }
        return nil
    }

    static func isNotification(_ event: String) -> Bool { event.hasPrefix(notifications) }

    /// The event of a run of notifications, but for the name of the characteristic.
    static let notifications = "signal value… "

    private static func notifyingObject(_ event: String) -> Substring? {
        event.hasPrefix(notifications) ? event.dropFirst(notifications.count) : nil
    }

    private static func beginsNotifying(_ event: String, _ object: Substring) -> Bool {
        event == "signal \(object) Notifying=true" || subject(event) == "StartNotify \(object)"
    }
}
