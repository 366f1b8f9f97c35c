internal import Foundation

/// The recordings of one scenario in a file; equal ones are stored once and counted.
package struct TraceFile: Equatable, Swift.Sendable {
    package struct Recording: Equatable, Swift.Sendable {
        package var trace: Trace
        package var count: Int

        package init(_ trace: Trace, count: Int = 1) {
            self.trace = trace
            self.count = count
        }
    }

    package struct Failure: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// The recorded BlueZ, for example `bluetoothd 5.66`.
    package var kind: String
    /// The different recordings, in the order in which they were added.
    package private(set) var recordings: [Recording] = []

    package init(kind: String) {
        self.kind = kind
    }

    /// The number of recordings, including equal ones.
    package var count: Int { recordings.reduce(0) { $0 + $1.count } }

    package var traces: [Trace] { recordings.map(\.trace) }

    package mutating func add(_ trace: Trace, count: Int = 1) {
        if let index = recordings.firstIndex(where: { $0.trace == trace }) {
            recordings[index].count += count
        } else {
            recordings.append(Recording(trace, count: count))
        }
    }

    private static let separator = "----"

    package var text: String {
        let all = count
        return recordings.map { recording in
            let header = "# \(kind), \(recording.count) of \(all) recordings"
            return ([header] + recording.trace.events).joined(separator: "\n") + "\n"
        }
        .joined(separator: Self.separator + "\n")
    }

    /// Parses the content of a file.
    ///
    /// - Throws: `Failure` with the number of the invalid line.
    package init(text: String) throws(Failure) {
        var kind: String?
        var recording: Recording?
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last == "" { lines.removeLast() }
        var found: [Recording] = []
        for (index, line) in lines.enumerated() {
            let place = "line \(index + 1)"
            if line == Self.separator {
                guard let ended = recording else {
                    throw Failure(description: "\(place): a recording has no header")
                }
                found.append(ended)
                recording = nil
            } else if line.hasPrefix("#") {
                guard let header = Self.header(line), recording == nil else {
                    throw Failure(description: "\(place): not “# KIND, N of M recordings”")
                }
                kind = header.kind
                recording = Recording(Trace(), count: header.count)
            } else if recording == nil || line.isEmpty {
                throw Failure(description: "\(place): expected an event after a header")
            } else {
                recording?.trace.events.append(String(line))
            }
        }
        guard let kind, let last = recording else {
            throw Failure(description: "the last recording is missing")
        }
        self.init(kind: kind)
        for recording in found + [last] { add(recording.trace, count: recording.count) }
    }

    private static func header(_ line: Substring) -> (kind: String, count: Int)? {
        guard let comma = line.lastIndex(of: ","), line.hasPrefix("# ") else { return nil }
        let words = line[line.index(after: comma)...].split(separator: " ")
        guard words.count == 4, words[1] == "of", words[3] == "recordings",
            let count = Int(words[0]), count > 0
        else { return nil }
        return (String(line[..<comma].dropFirst(2)), count)
    }
}

extension TraceFile {
    /// The extension of the files, after the name of the scenario.
    package static let fileExtension = "trace"

    package init(contentsOf path: String) throws {
        try self.init(text: String(contentsOfFile: path, encoding: .utf8))
    }

    package func write(to path: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// Adds a recording to the file of a scenario, which is created if necessary.
    ///
    /// - Parameters:
    ///   - trace: The recording.
    ///   - scenario: The name; any character other than a letter, a digit or a hyphen becomes a hyphen.
    ///   - kind: The recorded BlueZ, which must be that of the existing file.
    ///   - folder: The folder of the files, which is created if necessary.
    /// - Throws: If the file cannot be read or written, or is of another kind.
    package static func add(
        _ trace: Trace,
        scenario: String,
        kind: String,
        to folder: String
    ) throws {
        try FileManager.default.createDirectory(
            at: URL(filePath: folder),
            withIntermediateDirectories: true
        )
        try add(trace, kind: kind, toFile: "\(folder)/\(fileName(scenario)).\(fileExtension)")
    }

    /// Adds a recording to a file, which is created if necessary.
    package static func add(_ trace: Trace, kind: String, toFile path: String) throws {
        let isThere = FileManager.default.fileExists(atPath: path)
        var file = isThere ? try TraceFile(contentsOf: path) : TraceFile(kind: kind)
        guard file.kind == kind else {
            throw Failure(description: "\(path) records \(file.kind), not \(kind)")
        }
        file.add(trace)
        try file.write(to: path)
    }

    package static func fileName(_ scenario: String) -> String {
        let words = scenario.split { !$0.isLetter && !$0.isNumber }
        return words.joined(separator: "-")
    }
}
