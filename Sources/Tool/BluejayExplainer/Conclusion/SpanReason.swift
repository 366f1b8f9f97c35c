/// The likely reason for the length or the failure of a span.
struct SpanReason {
    /// BlueZ waits this long before it cuts a link, for pending writes.
    private static let disconnectDelay = Duration.seconds(2)
    /// A shorter time needs no reason.
    private static let minimumDelay = Duration.milliseconds(100)

    private let span: Span
    private let timeline: Timeline

    init(_ span: Span, _ timeline: Timeline) {
        self.span = span
        self.timeline = timeline
    }

    /// The reason as part of a sentence, or `nil`.
    var text: String? {
        interruption ?? otherProgram ?? ownReason
    }

    // MARK: What happened meanwhile

    /// An event that ends every span.
    private var interruption: String? {
        let meanwhile = timeline.notes.filter { timeline.isInside($0.time, span) }
        let hasLeft = meanwhile.contains { $0.text == "left the bus" }
        let hasJoined = meanwhile.contains { $0.text == "joined the bus" }
        if hasLeft { return hasJoined ? "bluetoothd was restarted" : "bluetoothd ended" }
        if let adapter = meanwhile.last(where: { $0.text == "powered off" }) {
            return "\(adapter.subject) was powered off"
        }
        guard span.error != nil || span.end == nil else { return nil }
        let endedLink = meanwhile.last { $0.text.hasPrefix("reason of the end of the link: ") }
        return endedLink.map { "bluetoothd gave the \($0.text)" }
    }

    /// A call of another program for the same device that took some of the time.
    private var otherProgram: String? {
        let end = span.end ?? timeline.duration
        let owner = ObjectLabels.owner(of: span.path)
        let calls = timeline.foreignCalls.filter { call in
            let isConcerned = call.path == owner || call.path.hasPrefix(owner + "/")
            let overlap = min(call.end ?? end, end) - max(call.start, span.start)
            return isConcerned && overlap > .zero && overlap * 4 >= end - span.start
        }
        if let call = calls.first {
            return "meanwhile \(call.program) called \(call.name) of \(call.subject)"
        }
        let other = timeline.notes.first { note in
            note.source == .other && timeline.isInside(note.time, span)
                && note.text == "another program scans"
        }
        guard span.kind == .connect || span.kind == .discovery, let other else { return nil }
        return "another program scans with \(other.subject), which delays connections"
    }

    // MARK: The time that a span takes without other programs

    private var ownReason: String? {
        let length = timeline.length(of: span)
        guard length >= Self.minimumDelay || span.error != nil else { return nil }
        return switch span.kind {
        case .start: startReason
        case .queue: queueReason
        case .scan: scanReason
        case .connect:
            span.error == nil || span.end == nil
                ? "a device accepts a connection only when it advertises" : nil
        case .discovery:
            span.error == nil ? "BlueZ reads the services of a device that it does not know" : nil
        case .read, .write, .subscribe, .unsubscribe:
            span.error == nil ? "BlueZ waits for the response of the device" : nil
        case .pairing: pairingReason
        case .disconnect:
            length >= Self.disconnectDelay ? "BlueZ waits 2 s before it cuts a link" : nil
        case .notifications, .prompt, .removal, .publication, .call: nil
        }
    }

    private var startReason: String? {
        if timeline.notes.contains(where: { $0.text.hasPrefix("requested the start") }) {
            return "bluetoothd did not run, and the bus was asked to start it"
        }
        return span.end == nil ? "bluetoothd did not list its objects" : nil
    }

    /// The operation that ended when the wait did.
    private var queueReason: String? {
        guard let end = span.end else { return nil }
        let before = timeline.operations.last { operation in
            operation.name != span.subject && operation.end.map { $0 <= end } == true
                && operation.end.map { $0 > span.start } == true
        }
        if let before { return "\(before.name) came first" }
        let start = timeline.spans.first { $0.kind == .start }
        let isStart = start?.end.map { $0 > span.start } ?? false
        return isStart ? "the operation waited for the start" : nil
    }

    private var scanReason: String {
        let sightings = timeline.sightings.filter { timeline.isInside($0.time, span) }
        let end = span.end ?? timeline.duration
        let connected = timeline.spans.first { $0.kind == .connect && $0.start >= end }
        if let found = sightings.first(where: { $0.path == connected?.path }) {
            let delay = (found.time - span.start).text
            let wait = end - found.time
            let first = "the first advertisement of \(found.subject) arrived after \(delay)"
            guard wait >= Self.minimumDelay * 5 else { return first }
            return first + ", and the search continued for a second device with that name"
        }
        switch sightings.count {
        case 0: return "no device advertised"
        case 1: return "only \(sightings[0].subject) advertised"
        default: return "\(sightings.count) devices advertised"
        }
    }

    private var pairingReason: String? {
        let prompts = timeline.spans.filter {
            $0.kind == .prompt && timeline.isInside($0.start, span)
        }
        let total = prompts.reduce(Duration.zero) { $0 + timeline.length(of: $1) }
        guard total * 2 >= timeline.length(of: span) else { return nil }
        return "\(total.text) of it waited for your answer"
    }
}
