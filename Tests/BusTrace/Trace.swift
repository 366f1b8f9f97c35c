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
        if let object = notifyingObject(earlier) { return concerns(later, object) }
        if let object = notifyingObject(later) { return concerns(earlier, object) }
        return true
    }

    /// The event of a run of notifications, but for the name of the characteristic.
    static let notifications = "signal value… "

    private static func notifyingObject(_ event: String) -> Substring? {
        event.hasPrefix(notifications) ? event.dropFirst(notifications.count) : nil
    }

    // Whether an event is of an object or of its device.
    private static func concerns(_ event: String, _ object: Substring) -> Bool {
        let device = object.prefix { $0 != "/" }
        let words = event.split { $0 == " " || $0 == ":" || $0 == "," }
        return words.contains { $0 == object || $0 == device }
    }
}
