/// Builds the spans, the notes and the calls of other programs.
///
/// Signals of bluetoothd end some spans earlier than the reply does: a link exists when `Connected` is true,
/// while `Connect` may reply after the service discovery only.
struct TimelineBuilder {
    private(set) var spans: [Span] = []
    private(set) var notes: [Note] = []
    private(set) var foreignCalls: [ForeignCall] = []
    private(set) var sightings: [Sighting] = []
    private let labels: ObjectLabels
    /// The spans of pending calls.
    private var calls: [BusCall.ID: Int] = [:]
    /// The calls of other programs that are pending.
    private var pendingForeignCalls: [BusCall.ID: Int] = [:]
    /// Pending calls that end a span of another call.
    private var closingCalls: [BusCall.ID: Open] = [:]
    /// The spans that signals may end.
    private var open: [Open: Int] = [:]
    /// The devices that this program has connected.
    private var connectedPaths: Set<String> = []
    /// The devices that this program disconnects.
    private var disconnectedPaths: Set<String> = []
    private var hasStarted = false

    /// A span that signals end.
    private struct Open: Hashable {
        let kind: Span.Kind
        let path: String
    }

    init(_ labels: ObjectLabels) {
        self.labels = labels
        begin(Span(.start, "bluetoothd", from: .zero))
    }

    mutating func add(_ event: TraceEvent) {
        let time = event.time
        switch event.fact {
        case .called(let call): called(call, time)
        case .replied(let id, let error): replied(id, error, time)
        case .listed(let path, let properties, let isNew):
            listed(path, properties, isNew: isNew, time)
        case .changed(let path, let properties): changed(path, properties, time)
        case .advertised(let path):
            sightings.append(Sighting(time: time, subject: labels.text(path), path: path))
        case .removed(let path):
            if !isOpen(.removal, path) { note(time, path, "removed") }
        case .disconnected(let path, let reason): disconnected(path, reason, time)
        case .daemonChanged(let isRunning): daemonChanged(isRunning, time)
        case .busLost:
            notes.append(Note(time, .other, "", "the bus ended the connection"))
            for key in Array(open.keys) { end(key.kind, key.path, time, error: "the bus ended") }
        case .overflowed: notes.append(Note(time, .library, "", "the recording is full"))
        case .enqueued, .started, .completed, .connected, .identified: break
        }
    }

    // MARK: Spans

    private mutating func begin(_ span: Span) {
        if span.kind.endsWithSignal { open[Open(kind: span.kind, path: span.path)] = spans.count }
        spans.append(span)
    }

    private func isOpen(_ kind: Span.Kind, _ path: String) -> Bool {
        open[Open(kind: kind, path: path)] != nil
    }

    /// Ends a span unless it has ended.
    private mutating func end(
        _ kind: Span.Kind,
        _ path: String,
        _ time: Duration,
        error: String? = nil
    ) {
        guard let index = open.removeValue(forKey: Open(kind: kind, path: path)) else { return }
        end(index, time, error)
    }

    private mutating func end(_ index: Int, _ time: Duration, _ error: String?) {
        guard spans[index].end == nil else { return }
        spans[index].end = time
        spans[index].error = error
    }

    /// Ends the spans without a pending call, which the bus would answer.
    private mutating func daemonLeft(_ time: Duration) {
        let kinds: [Span.Kind] = [.scan, .discovery, .notifications]
        for key in Array(open.keys) where kinds.contains(key.kind) {
            end(key.kind, key.path, time, error: "bluetoothd left the bus")
        }
    }

    private mutating func note(
        _ time: Duration,
        _ path: String,
        _ text: String,
        _ source: Note.Source = .bluetoothd
    ) {
        notes.append(Note(time, source, labels.text(path), text))
    }

    // MARK: Calls

    private mutating func called(_ call: BusCall, _ time: Duration) {
        if call.isReceived { return received(call, time) }
        if let caller = call.id.caller {
            if !labels.ownConnections.contains(caller) { calledByOther(caller, call, time) }
            return
        }
        switch call.name {
        case "DBus.StartServiceByName":
            notes.append(Note(time, .library, "bluetoothd", "requested the start from the bus"))
        case "ObjectManager.GetManagedObjects":
            if !hasStarted { calls[call.id] = 0 }
        case "Adapter1.StopDiscovery":
            closingCalls[call.id] = Open(kind: .scan, path: call.path)
        case _ where call.name.hasPrefix("DBus."): break
        default: begin(call, time)
        }
    }

    private mutating func begin(_ call: BusCall, _ time: Duration) {
        let kind = Span.Kind(callNamed: call.name)
        let span = Span(
            kind,
            labels.text(call.path),
            name: call.name,
            path: kind.concernsObject ? call.path : ObjectLabels.owner(of: call.path),
            owner: labels.owner(call.path),
            from: time
        )
        calls[call.id] = spans.count
        if kind == .unsubscribe { end(.notifications, call.path, time) }
        if kind == .connect || kind == .pairing { connectedPaths.insert(span.path) }
        if kind == .disconnect { disconnectedPaths.insert(span.path) }
        begin(span)
    }

    /// bluetoothd asks the agent of this program.
    private mutating func received(_ call: BusCall, _ time: Duration) {
        guard call.name.hasPrefix("Agent1.") else { return }
        let subject = call.path.isEmpty ? "" : labels.text(call.path)
        calls[call.id] = spans.count
        let owner = labels.owner(call.path)
        spans.append(
            Span(.prompt, subject, name: call.name, path: call.path, owner: owner, from: time)
        )
    }

    private mutating func calledByOther(_ caller: String, _ call: BusCall, _ time: Duration) {
        // Reading properties delays nothing.
        let isQuery = ["ObjectManager.", "Introspectable.", "Peer.", "Properties.Get"]
            .contains { call.name.hasPrefix($0) }
        guard !isQuery else { return }
        pendingForeignCalls[call.id] = foreignCalls.count
        foreignCalls.append(
            ForeignCall(
                program: labels.program(caller),
                name: call.name,
                subject: labels.text(call.path),
                path: ObjectLabels.owner(of: call.path),
                start: time
            )
        )
    }

    private mutating func replied(_ id: BusCall.ID, _ error: String?, _ time: Duration) {
        if let index = pendingForeignCalls.removeValue(forKey: id) {
            foreignCalls[index].end = time
            foreignCalls[index].error = error
        } else if let closed = closingCalls.removeValue(forKey: id) {
            end(closed.kind, closed.path, time)
        } else if let index = calls.removeValue(forKey: id) {
            replied(to: index, error, time)
        }
    }

    private mutating func replied(to index: Int, _ error: String?, _ time: Duration) {
        let span = spans[index]
        let key = Open(kind: span.kind, path: span.path)
        switch span.kind {
        case .start:
            hasStarted = error == nil
            if hasStarted { end(.start, "", time) }
        // The scan begins with the reply.
        case .scan where error == nil: break
        case .connect where error != nil:
            end(.discovery, span.path, time, error: error)
            end(index, time, error)
        default: end(index, time, error)
        }
        if spans[index].end != nil, open[key] == index { open[key] = nil }
        if span.kind == .subscribe, error == nil {
            let (subject, path) = (span.subject, span.path)
            begin(Span(.notifications, subject, path: path, owner: span.owner, from: time))
        }
    }

    // MARK: Signals

    private mutating func listed(
        _ path: String,
        _ properties: BusProperties,
        isNew: Bool,
        _ time: Duration
    ) {
        if properties["Device1.Connected"] == "true" {
            note(time, path, isNew ? "connected" : "connected before this command", .other)
        }
        if properties["Adapter1.Discovering"] == "true" {
            note(time, path, "another program scans", .other)
        }
        if properties["Adapter1.Powered"] == "false" { note(time, path, "powered off") }
        if properties["Adapter1.Powered"] == "true", isNew { note(time, path, "added") }
    }

    private mutating func changed(_ path: String, _ properties: BusProperties, _ time: Duration) {
        switch properties["Adapter1.Powered"] {
        case "true": note(time, path, "powered on")
        case "false":
            note(time, path, "powered off")
            end(.scan, path, time, error: "powered off")
        default: break
        }
        if properties["Adapter1.Discovering"] == "true", !isOpen(.scan, path) {
            note(time, path, "another program scans", .other)
        }
        switch properties["Device1.Connected"] {
        case "true": linkUp(path, time)
        case "false": linkDown(path, time)
        default: break
        }
        if properties["Device1.ServicesResolved"] == "true" { end(.discovery, path, time) }
        if properties["Device1.Paired"] == "true" { note(time, path, "paired") }
    }

    private mutating func linkUp(_ path: String, _ time: Duration) {
        if isOpen(.connect, path) {
            end(.connect, path, time)
            let subject = labels.text(path)
            begin(Span(.discovery, subject, path: path, owner: labels.owner(path), from: time))
        } else if !connectedPaths.contains(path) {
            note(time, path, "connected without a call of this command", .other)
        }
    }

    private mutating func linkDown(_ path: String, _ time: Duration) {
        end(.discovery, path, time, error: "the link ended")
        for key in Array(open.keys)
        where key.kind == .notifications && ObjectLabels.owner(of: key.path) == path {
            end(key.kind, key.path, time)
        }
        if disconnectedPaths.remove(path) == nil { note(time, path, "disconnected") }
        connectedPaths.remove(path)
    }

    private mutating func disconnected(_ path: String, _ reason: String, _ time: Duration) {
        guard !disconnectedPaths.contains(path), !reason.isEmpty else { return }
        let name = reason.split(separator: ".").last.map(String.init) ?? reason
        note(time, path, "reason of the end of the link: \(name)")
    }

    private mutating func daemonChanged(_ isRunning: Bool, _ time: Duration) {
        let text = isRunning ? "joined the bus" : "left the bus"
        notes.append(Note(time, .bluetoothd, "", text))
        if !isRunning { daemonLeft(time) }
    }
}

extension Span.Kind {
    /// Whether the path of the span is that of the called object, and not that of its device.
    fileprivate var concernsObject: Bool {
        switch self {
        case .subscribe, .unsubscribe, .scan: true
        default: false
        }
    }

    fileprivate var endsWithSignal: Bool {
        switch self {
        case .start, .scan, .connect, .discovery, .notifications, .removal: true
        default: false
        }
    }
}
