import BluejayCore
import Foundation
import TestSupport

/// The source of a manual page in Documentation.
struct ManualSource: Sendable {
    let name: String
    let text: String

    /// Reads the stored page of a program.
    init(of name: String) throws {
        self.name = name
        text = try String(contentsOf: Self.file(of: name), encoding: .utf8)
    }

    static func file(of name: String) -> URL { repositoryFile("Documentation/\(name).1") }

    /// The first line of a page: the date of this version, and the version.
    static func head(of name: String) -> String {
        let version = BluejayVersion.current
        return ".TH \(name.uppercased()) 1 \(date) \"Bluejay \(version)\" \"User Commands\""
    }

    /// The date of the version in the changelog.
    private static let date: String = {
        let changelog = try? String(
            contentsOf: repositoryFile("Documentation/Changelog.md"),
            encoding: .utf8
        )
        let heading = "\n## \(BluejayVersion.current) - "
        return changelog?.components(separatedBy: heading).dropFirst().first.map {
            String($0.prefix(10))
        } ?? ""
    }()

    var lines: [String] { text.components(separatedBy: "\n") }

    /// The titles of the sections, in order.
    var titles: [String] {
        lines.filter { $0.hasPrefix(".SH ") }.map { String($0.dropFirst(4)) }
    }

    /// The lines of a section with its heading, or none.
    func section(_ title: String) -> [String] {
        guard let first = lines.firstIndex(of: ".SH \(title)") else { return [] }
        let rest = lines[(first + 1)...].prefix { !$0.hasPrefix(".SH ") }
        return [lines[first]] + rest.filter { !$0.isEmpty }
    }

    /// The titles of the entries of a section, without fonts and escapes, and without lists in an entry.
    func entries(_ title: String) -> [String] {
        var entries: [String] = []
        var depth = 0
        let lines = section(title)
        for (line, next) in zip(lines, lines.dropFirst()) {
            if line.hasPrefix(".RS") { depth += 1 }
            if line == ".RE" { depth -= 1 }
            guard line == ".TP", depth == 0 else { continue }
            entries.append(next.replacing(#/\\f[BIR]/#, with: "").replacing("\\-", with: "-"))
        }
        return entries
    }
}
