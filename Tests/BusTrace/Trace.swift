/// What happened between BlueZ and its clients, a line an event, free of accident.
package struct Trace: Hashable, Swift.Sendable {
    /// The events in their order; none holds a line break.
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
}
