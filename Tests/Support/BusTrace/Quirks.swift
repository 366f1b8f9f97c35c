internal import Foundation

/// The accepted differences between the real and the simulated BlueZ.
///
/// The text has one quirk per line: `SCENARIO | EVENT | REASON`, or `SCENARIO | EVENT < EVENT | REASON` for
/// two events whose order in the real BlueZ is not required of the simulated one. A `*` stands for any text.
/// Empty lines and lines that begin with `#` are ignored.
package struct Quirks: Equatable, Swift.Sendable {
    package struct Quirk: Equatable, Swift.Sendable {
        /// The number of the line, from 1.
        package let line: Int
        package let scenario: String
        package let event: String
        /// The later event in the real BlueZ; `nil` for a quirk of one event.
        package let later: String?
        package let reason: String

        /// The quirk in the notation of the text.
        package var text: String {
            let events = later.map { "\(event) < \($0)" } ?? event
            return "\(scenario) | \(events) | \(reason)"
        }

        func excuses(_ difference: TraceDifference) -> Bool {
            switch difference.kind {
            case .missing(let event), .unknown(let event):
                later == nil && Glob.matches(self.event, event)
            case .order(let earlier, let later):
                self.later.map {
                    Glob.matches(event, earlier) && Glob.matches($0, later)
                } ?? false
            }
        }
    }

    /// An error in a list of quirks.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    package let quirks: [Quirk]

    package init() {
        quirks = []
    }

    /// Parses the text.
    ///
    /// - Throws: `Failure` with the number of the invalid line.
    package init(text: String) throws(Failure) {
        var quirks: [Quirk] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            guard !line.hasPrefix("#"), line.contains(where: { !$0.isWhitespace }) else { continue }
            guard let quirk = Self.quirk(String(line), number: index + 1) else {
                let form = "SCENARIO | EVENT | REASON"
                throw Failure(description: "line \(index + 1): not “\(form)”")
            }
            quirks.append(quirk)
        }
        self.quirks = quirks
    }

    package init(contentsOf path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        do throws(Failure) {
            try self.init(text: text)
        } catch {
            throw Failure(description: "\(path), \(error.description)")
        }
    }

    func of(_ scenario: String) -> [Quirk] {
        quirks.filter { Glob.matches($0.scenario, scenario) }
    }

    private static func quirk(_ line: String, number: Int) -> Quirk? {
        let parts = line.components(separatedBy: " | ")
            .map { $0.trimmingCharacters(in: .whitespaces) }
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        let events = parts[1].components(separatedBy: " < ")
        guard events.count <= 2, events.allSatisfy({ !$0.isEmpty }) else { return nil }
        return Quirk(
            line: number,
            scenario: parts[0],
            event: events[0],
            later: events.count == 2 ? events[1] : nil,
            reason: parts[2]
        )
    }
}

/// Patterns in which `*` stands for any text.
enum Glob {
    static func matches(_ pattern: String, _ text: String) -> Bool {
        let parts = pattern.components(separatedBy: "*")
        guard parts.count > 1, let first = parts.first, let last = parts.last else {
            return pattern == text
        }
        guard text.hasPrefix(first) else { return false }
        var rest = text.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.range(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}
