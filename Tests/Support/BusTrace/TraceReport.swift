internal import Foundation

/// The comparison of two folders of trace files, of the real BlueZ and of the simulated one.
package struct TraceReport: Equatable, Swift.Sendable {
    /// The result of one scenario.
    package struct Scenario: Equatable, Swift.Sendable {
        package let name: String
        /// For example `bluetoothd 5.66, 10 recordings`.
        package let real: String
        package let simulated: String
        package var differences: [TraceDifference]
        /// The number of further pairs in the wrong order.
        package var furtherOrders: Int
    }

    package private(set) var scenarios: [Scenario] = []
    /// The scenarios that only one of the two folders contains.
    package private(set) var alone: [String] = []
    /// The quirks of the compared scenarios that excused no difference.
    package private(set) var unusedQuirks: [Quirks.Quirk] = []

    /// Whether both folders contain the same scenarios, at least one, without differences.
    ///
    /// An unused quirk is not a difference: a quirk that depends on timing is not needed in every run.
    package var isSame: Bool {
        !scenarios.isEmpty && alone.isEmpty && scenarios.allSatisfy(\.differences.isEmpty)
    }

    // The maximum number of printed differences of a scenario.
    private static let shownDifferences = 12

    /// Compares the files of two folders.
    ///
    /// - Parameters:
    ///   - real: The folder with recordings of the real BlueZ.
    ///   - simulated: The folder with recordings of the simulated BlueZ.
    ///   - quirks: The accepted differences.
    ///   - names: Patterns of scenarios, with `*`; if empty, all scenarios of both folders.
    /// - Throws: If a folder or a file cannot be read.
    package init(
        real: String,
        simulated: String,
        quirks: Quirks = Quirks(),
        names: [String] = []
    ) throws {
        let realNames = try Self.scenarios(in: real)
        let simulatedNames = try Self.scenarios(in: simulated)
        func isAsked(_ name: String) -> Bool {
            names.isEmpty || names.contains { Glob.matches($0, name) }
        }
        alone = realNames.symmetricDifference(simulatedNames).filter(isAsked).sorted()
        alone += names.filter { pattern in
            !realNames.union(simulatedNames).contains { Glob.matches(pattern, $0) }
        }
        var used: Set<Int> = []
        for name in realNames.intersection(simulatedNames).filter(isAsked).sorted() {
            add(
                name,
                try Self.file(name, in: real),
                try Self.file(name, in: simulated),
                quirks,
                &used
            )
        }
        unusedQuirks = quirks.quirks.filter { quirk in
            !used.contains(quirk.line)
                && (names.isEmpty || scenarios.contains { Glob.matches(quirk.scenario, $0.name) })
        }
    }

    private mutating func add(
        _ name: String,
        _ real: TraceFile,
        _ simulated: TraceFile,
        _ quirks: Quirks,
        _ used: inout Set<Int>
    ) {
        let comparison = TraceComparison(scenario: name, real: real.recordings, quirks: quirks)
        var scenario = Scenario(
            name: name,
            real: "\(real.kind), \(real.count) recordings",
            simulated: "\(simulated.kind), \(simulated.count) recordings",
            differences: [],
            furtherOrders: 0
        )
        for trace in simulated.traces {
            let result = comparison.compare(trace)
            used.formUnion(result.usedQuirks)
            scenario.furtherOrders += result.furtherOrders
            for difference in result.differences
            where !scenario.differences.contains(where: { $0.summary == difference.summary }) {
                scenario.differences.append(difference)
            }
        }
        scenarios.append(scenario)
    }

    package var text: String {
        let width = scenarios.map(\.name.count).max() ?? 0
        var lines = scenarios.map { scenario in
            let name = scenario.name.padding(toLength: width, withPad: " ", startingAt: 0)
            let count = scenario.differences.count + scenario.furtherOrders
            let verdict = count == 0 ? "same   " : "differs"
            return "\(verdict)  \(name)  \(scenario.real); \(scenario.simulated)"
                + (count == 0 ? "" : ": \(count) differences")
        }
        lines += alone.map { "alone    \($0)  has no recording on the other side" }
        if scenarios.isEmpty && alone.isEmpty { lines.append("nothing to compare") }
        for scenario in scenarios where !scenario.differences.isEmpty {
            lines += ["", scenario.name]
            let shown = scenario.differences.prefix(Self.shownDifferences)
            for line in shown.flatMap({ $0.description.split(separator: "\n") }) {
                lines.append("  " + (line.count > 200 ? line.prefix(199) + "…" : line))
            }
            // One change of behaviour has many consequences.
            let more = scenario.differences.count - shown.count
            if more > 0 { lines.append("  and \(more) more") }
            if scenario.furtherOrders > 0 {
                lines.append("  and \(scenario.furtherOrders) more in the wrong order")
            }
        }
        if !unusedQuirks.isEmpty { lines += ["", "unused quirks:"] }
        lines += unusedQuirks.map { "  line \($0.line): \($0.text)" }
        return lines.joined(separator: "\n")
    }

    private static func scenarios(in folder: String) throws -> Set<String> {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        let suffix = "." + TraceFile.fileExtension
        return Set(files.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) })
    }

    private static func file(_ name: String, in folder: String) throws -> TraceFile {
        let path = "\(folder)/\(name).\(TraceFile.fileExtension)"
        do {
            return try TraceFile(contentsOf: path)
        } catch let failure as TraceFile.Failure {
            throw TraceFile.Failure(description: "\(path), \(failure.description)")
        }
    }
}
