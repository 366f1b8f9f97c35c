import BluejayExplainer
import Foundation

/// The timeline of a command as a table: one line for each span, and below it what happened meanwhile.
struct TimelineTable {
    private struct Row {
        let time: Duration
        let cells: [String]
    }

    /// Shorter calls that neither wait nor fail are omitted.
    private static let minimumCallLength = Duration.milliseconds(10)

    private static let table = TextTable([
        TextTable.Column("AT".aligned, minimum: 7, isNeeded: true),
        TextTable.Column("TOOK".aligned, minimum: 7, isNeeded: true),
        TextTable.Column("WHAT", minimum: 12, isNeeded: true, isCutLast: true),
        TextTable.Column("RESULT", minimum: 6),
    ])

    private let timeline: Timeline

    init(_ timeline: Timeline) {
        self.timeline = timeline
    }

    /// Returns the lines, cut to a width; `nil` is unlimited.
    func lines(width: Int?) -> [String] {
        let rows = (spanRows + noteRows + sightingRows + foreignRows)
            .enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
        return Self.table.lines(rows.map(\.element.cells), width: width)
    }

    private var spanRows: [Row] {
        timeline.spans.filter(isShown).map { span in
            row(span.start, timeline.length(of: span), span.title, span.result)
        }
    }

    private func isShown(_ span: Span) -> Bool {
        span.kind != .call || span.error != nil
            || timeline.length(of: span) >= Self.minimumCallLength
    }

    private var noteRows: [Row] {
        timeline.notes.map { note in
            let text = [note.subject, note.text].filter { !$0.isEmpty }.joined(separator: ": ")
            return row(note.time, nil, "  \(note.source.title)", text)
        }
    }

    /// The first advertisements of the devices that the command uses.
    private var sightingRows: [Row] {
        let used = Set(timeline.spans.map(\.path))
        return timeline.sightings.filter { used.contains($0.path) }.map { sighting in
            row(sighting.time, nil, "  bluetoothd", "\(sighting.subject): first advertisement")
        }
    }

    private var foreignRows: [Row] {
        timeline.foreignCalls.map { call in
            let result = call.error.map { ": \($0)" } ?? ""
            return row(
                call.start,
                call.end.map { $0 - call.start },
                "  \(call.program)",
                "\(call.name) of \(call.subject)\(result)"
            )
        }
    }

    private func row(_ time: Duration, _ length: Duration?, _ what: String, _ result: String)
        -> Row
    {
        Row(time: time, cells: [time.text.aligned, length?.text.aligned ?? "", what, result])
    }
}

extension String {
    /// The text at the right of a column of times.
    fileprivate var aligned: String { String(repeating: " ", count: max(0, 7 - count)) + self }
}

extension Note.Source {
    fileprivate var title: String {
        switch self {
        case .bluetoothd: "bluetoothd"
        case .library: "bluejay"
        case .other: "others"
        case .program(let name): name
        }
    }
}
