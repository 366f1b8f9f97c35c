import Foundation

/// A parsed trace file, checked against the Trace Event Format.
struct TraceFile {
    struct Bar: Equatable {
        let track: String
        let name: String
        let start: Int
        let end: Int
    }

    private(set) var bars: [Bar] = []
    /// The names of the markers.
    private(set) var markers: [String] = []
    /// The tracks with their process, in the order of their names.
    private(set) var tracks: [String] = []
    private(set) var problems: [String] = []
    private var processes: [Int: String] = [:]
    private var names: [Track: String] = [:]

    private struct Track: Hashable {
        let process: Int
        let number: Int
    }

    private struct Document: Decodable {
        let displayTimeUnit: String
        let traceEvents: [Event]
    }

    private struct Event: Decodable {
        let name: String
        let ph: String
        let ts: Int
        let pid: Int
        let tid: Int
        let dur: Int?
        let s: String?
        let args: [String: String]?
    }

    init(_ data: Data) throws {
        let events = try JSONDecoder().decode(Document.self, from: data).traceEvents
        for event in events where event.ph == "M" { addName(event) }
        for event in events where event.ph != "M" { add(event) }
        for track in Set(bars.map(\.track)) {
            let times = bars.filter { $0.track == track }.map { ($0.start, $0.end) }
            if !Self.areNested(times) { problems.append("bars overlap in \(track)") }
        }
    }

    private mutating func addName(_ event: Event) {
        guard let name = event.args?["name"] else { return problems.append("no name") }
        switch event.name {
        case "process_name": processes[event.pid] = name
        case "thread_name":
            let track = "\(processes[event.pid] ?? "?")/\(name)"
            names[Track(process: event.pid, number: event.tid)] = track
            tracks.append(track)
        default: problems.append("unknown metadata \(event.name)")
        }
    }

    private mutating func add(_ event: Event) {
        let track = names[Track(process: event.pid, number: event.tid)]
        if event.ts < 0 || event.name.isEmpty { problems.append("\(event) is incomplete") }
        guard let track else { return problems.append("\(event.name) is on no track") }
        switch (event.ph, event.dur) {
        case ("X", let length?) where length >= 0:
            bars.append(
                Bar(track: track, name: event.name, start: event.ts, end: event.ts + length)
            )
        case ("i", nil) where event.s == "t": markers.append(event.name)
        default: problems.append("\(event) is invalid")
        }
    }

    /// Returns whether each two bars are one in the other, or one after the other.
    static func areNested(_ bars: [(Int, Int)]) -> Bool {
        bars.allSatisfy { first in
            bars.allSatisfy { second in
                !(first.0 < second.0 && second.0 < first.1 && first.1 < second.1)
            }
        }
    }
}
