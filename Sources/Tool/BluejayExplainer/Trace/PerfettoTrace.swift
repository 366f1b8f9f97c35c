package import FoundationEssentials

/// A timeline in the Trace Event Format of Chrome, which Perfetto opens.
///
/// Each program is a process with tracks: this command has one for its queue, each device and each adapter.
package struct PerfettoTrace {
    private static let command = 1
    private static let bluetoothd = 2

    private var events: [TraceRow] = []

    /// Creates the trace of a command.
    ///
    /// - Parameters:
    ///   - timeline: The timeline of the command.
    ///   - name: The command with its arguments.
    package init(_ timeline: Timeline, of name: String) {
        addCommand(timeline, name)
        addSignals(timeline)
        addPrograms(timeline)
    }

    /// The file, in JSON.
    ///
    /// - Throws: An error of the encoder.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(TraceDocument(displayTimeUnit: "ms", traceEvents: events))
            + Data("\n".utf8)
    }

    private mutating func addCommand(_ timeline: Timeline, _ name: String) {
        addName(of: Self.command, name)
        addName(of: Self.command, track: 1, "failures")
        let operations = timeline.operations.map { Bar($0, timeline) }
        add(operations + timeline.spans.map { Bar($0, timeline) }, process: Self.command)
    }

    /// Adds the signals of bluetoothd, and the changes whose cause is unknown.
    private mutating func addSignals(_ timeline: Timeline) {
        addName(of: Self.bluetoothd, "bluetoothd")
        var rows = timeline.notes.map { note in
            TraceRow(
                marker: [note.subject, note.text].filter { !$0.isEmpty }.joined(separator: ": "),
                at: note.time,
                process: note.source == .library ? Self.command : Self.bluetoothd,
                track: note.source == .other ? 2 : 1
            )
        }
        rows += timeline.sightings.map { sighting in
            TraceRow(
                marker: "\(sighting.subject): first advertisement",
                at: sighting.time,
                process: Self.bluetoothd,
                track: 1
            )
        }
        events += rows
        addName(of: Self.bluetoothd, track: 1, "signals")
        addName(of: Self.bluetoothd, track: 2, "changes by other programs")
    }

    private mutating func addPrograms(_ timeline: Timeline) {
        var programs: [String] = []
        for call in timeline.foreignCalls where !programs.contains(call.program) {
            programs.append(call.program)
        }
        for (index, program) in programs.enumerated() {
            let process = Self.bluetoothd + 1 + index
            addName(of: process, program)
            let calls = timeline.foreignCalls.filter { $0.program == program }
            add(calls.map { Bar($0, timeline) }, process: process)
        }
    }

    /// Adds bars to the tracks of a process; track 1 is for its notes.
    private mutating func add(_ bars: [Bar], process: Int) {
        var tracks: [String] = []
        for bar in bars where !tracks.contains(bar.track) { tracks.append(bar.track) }
        var number = 1
        for track in tracks {
            var lanes = TrackLanes()
            var count = 0
            let sorted = bars.filter { $0.track == track }
                .sorted { ($0.start, -$0.end) < ($1.start, -$1.end) }
            for bar in sorted {
                let lane = lanes.lane(from: bar.start, to: bar.end)
                if lane >= count {
                    count = lane + 1
                    let suffix = lane == 0 ? "" : " (\(lane + 1))"
                    addName(of: process, track: number + count, track + suffix)
                }
                events.append(TraceRow(bar, process: process, track: number + lane + 1))
            }
            number += count
        }
    }

    private mutating func addName(of process: Int, track: Int? = nil, _ name: String) {
        events.append(TraceRow(nameOf: process, track: track, name))
    }
}

/// A span on a track, in microseconds.
private struct Bar {
    let name: String
    let track: String
    let start: Int
    let end: Int
    let result: String
    let call: String?

    init(_ span: Span, _ timeline: Timeline) {
        let isQueue = span.kind == .queue
        name = isQueue ? "wait" : span.title
        track = isQueue ? "queue" : span.owner.isEmpty ? "bluetoothd" : span.owner
        start = span.start.inMicroseconds
        end = (span.end ?? timeline.duration).inMicroseconds
        result = span.result
        call = span.name.isEmpty ? nil : span.name
    }

    init(_ operation: OperationSpan, _ timeline: Timeline) {
        name = operation.name
        track = "queue"
        start = operation.enqueued.inMicroseconds
        end = (operation.end ?? timeline.duration).inMicroseconds
        result = operation.error ?? (operation.end == nil ? "unfinished" : "ok")
        call = nil
    }

    init(_ foreign: ForeignCall, _ timeline: Timeline) {
        name = "\(foreign.name) of \(foreign.subject)"
        track = "calls to bluetoothd"
        start = foreign.start.inMicroseconds
        end = (foreign.end ?? timeline.duration).inMicroseconds
        result = foreign.error ?? (foreign.end == nil ? "unfinished" : "ok")
        call = foreign.name
    }
}

private struct TraceDocument: Encodable {
    let displayTimeUnit: String
    let traceEvents: [TraceRow]
}

/// An event of the format; absent members are omitted.
private struct TraceRow: Encodable {
    struct Details: Encodable {
        var name: String?
        var result: String?
        var call: String?
    }

    let name: String
    /// `X` is a bar, `i` a marker, `M` a name of a process or a track.
    let ph: String
    /// The start in microseconds.
    let ts: Int
    var dur: Int?
    let pid: Int
    let tid: Int
    /// The width of a marker: `t` is its track.
    var s: String?
    var args: Details?

    init(_ bar: Bar, process: Int, track: Int) {
        (name, ph, ts, pid, tid) = (bar.name, "X", bar.start, process, track)
        dur = bar.end - bar.start
        args = Details(result: bar.result, call: bar.call)
    }

    init(marker: String, at time: Duration, process: Int, track: Int) {
        (name, ph, ts, pid, tid) = (marker, "i", time.inMicroseconds, process, track)
        s = "t"
    }

    init(nameOf process: Int, track: Int?, _ text: String) {
        (name, ph, ts) = (track == nil ? "process_name" : "thread_name", "M", 0)
        (pid, tid) = (process, track ?? 0)
        args = Details(name: text)
    }
}

extension Duration {
    fileprivate var inMicroseconds: Int { Int(self / .microseconds(1)) }
}
