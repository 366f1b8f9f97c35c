/// The spans of a command, and what BlueZ and other programs did meanwhile.
package struct Timeline: Equatable, Swift.Sendable {
    /// The spans by their start.
    package internal(set) var spans: [Span] = []
    /// The notes by their time.
    package internal(set) var notes: [Note] = []
    /// The operations of the queue by the time at which they were added.
    package internal(set) var operations: [OperationSpan] = []
    /// The calls of other programs by their start; empty unless the bus permits to see them.
    package internal(set) var foreignCalls: [ForeignCall] = []
    /// The first advertisement of each device.
    package internal(set) var sightings: [Sighting] = []
    /// The time from the start of the recording to its end.
    package let duration: Duration
    /// Whether the calls of other programs would be visible.
    package let showsOtherPrograms: Bool

    /// Creates the timeline of recorded events.
    package init(_ events: [TraceEvent], duration: Duration, showsOtherPrograms: Bool) {
        self.duration = duration
        self.showsOtherPrograms = showsOtherPrograms
        var builder = TimelineBuilder(ObjectLabels(events))
        for event in events { builder.add(event) }
        let queue = QueueBuilder(events)
        operations = queue.operations
        spans = (builder.spans + queue.waits).sorted { $0.start < $1.start }
        notes = (builder.notes + queue.failures).sorted { $0.time < $1.time }
        foreignCalls = builder.foreignCalls
        sightings = builder.sightings
    }

    /// The time that a span takes, until the end of the command at the latest.
    package func length(of span: Span) -> Duration { (span.end ?? duration) - span.start }

    /// Whether a time is within a span.
    func isInside(_ time: Duration, _ span: Span) -> Bool {
        span.start <= time && time <= span.end ?? duration
    }
}
