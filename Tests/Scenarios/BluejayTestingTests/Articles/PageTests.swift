import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("Code blocks of all pages")
struct PageTests {
    /// The files of the repository; build products are in folders with a leading dot.
    private static func files(in folder: String, named suffix: String) throws -> [String] {
        let path = repositoryFile(folder).path
        return try FileManager.default.subpathsOfDirectory(atPath: path)
            .filter { $0.hasSuffix(suffix) && !"/\($0)".contains("/.") }
            .sorted().map { "\(folder)/\($0)" }
    }

    private static func lines(of file: String) throws -> [Substring] {
        try String(contentsOf: repositoryFile(file), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    private static func indentation(of line: Substring) -> Substring { line.prefix { $0 == " " } }

    private static func blocks(of page: [Substring]) -> [[Substring]] {
        var blocks: [[Substring]] = []
        var language: String?
        var indent = 0
        for line in page {
            let text = line.trimmingCharacters(in: .whitespaces)
            if let inside = language {
                if text == "```" || text == "~~~" {
                    language = nil
                } else if inside == "swift" {
                    blocks[blocks.count - 1].append(line.dropFirst(indent))
                }
            } else if text.hasPrefix("```") || text.hasPrefix("~~~") {
                language = text.dropFirst(3).trimmingCharacters(in: .whitespaces).lowercased()
                indent = indentation(of: line).count
                if language == "swift" { blocks.append([]) }
            }
        }
        return blocks
    }

    /// The compiled sources: each is in a package that the tests or `NewcomerPrograms/run` build.
    private struct Sources {
        private var files: [[Substring]] = []
        /// The positions of each line, without its indentation.
        private var places: [Substring: [(file: Int, line: Int)]] = [:]

        mutating func add(_ lines: [Substring]) {
            for (number, line) in lines.enumerated() {
                let code = line.dropFirst(indentation(of: line).count)
                places[code, default: []].append((files.count, number))
            }
            files.append(lines)
        }

        func hold(_ block: [Substring]) -> Bool {
            guard let first = block.first else { return false }
            return places[first, default: []].contains { place in
                let lines = files[place.file][place.line...]
                guard lines.count >= block.count, let line = lines.first else { return false }
                let indent = indentation(of: line)
                return zip(block, lines).allSatisfy { own, other in
                    other == (own.isEmpty ? "" : indent + own)
                }
            }
        }
    }

    private static func compiledSources() throws -> Sources {
        var sources = Sources()
        for file in try files(in: "Tests", named: ".swift") + files(in: "Demos", named: ".swift") {
            sources.add(try lines(of: file))
        }
        for template in try files(in: "Tests", named: ".swift.in") {
            sources.add(try generated(from: template))
        }
        return sources
    }

    /// The lines of the file that the plug-in generates from a template.
    private static func generated(from template: String) throws -> [Substring] {
        let output = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: output) }
        let generator = try Process.run(
            repositoryFile("Tests/Support/PageCode/generate"),
            arguments: [repositoryFile("").path, repositoryFile(template).path, output.path]
        )
        generator.waitUntilExit()
        return try String(contentsOf: output, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test(
        "Every Swift block of the pages occurs word for word in a compiled file",
        .computing
    )
    func compiled() throws {
        let sources = try Self.compiledSources()
        var counts: [String: Int] = [:]
        for page in try ["README.md"] + Self.files(in: "Documentation", named: ".md")
            + Self.files(in: "Sources", named: ".md")
        {
            for block in try Self.blocks(of: Self.lines(of: page)) {
                let code = block.joined(separator: "\n")
                #expect(sources.hold(block), "\(page): no compiled file contains\n\(code)")
                counts[String(page.prefix { $0 != "/" }), default: 0] += 1
            }
        }
        #expect(Set(counts.keys) == ["README.md", "Documentation", "Sources"])
        #expect(counts.values.reduce(0, +) >= 51)
    }

    /// The text of the comments of a file for its documentation; other lines are empty.
    private static func comments(of source: [Substring]) -> [Substring] {
        source.map { line in
            let text = line.drop { $0 == " " }
            guard text.hasPrefix("///") else { return "" }
            return text.dropFirst(text.hasPrefix("/// ") ? 4 : 3)
        }
    }

    @Test("Each block of a source comment is word for word in a compiled file", .computing)
    func comments() throws {
        let sources = try Self.compiledSources()
        var count = 0
        for file in try Self.files(in: "Sources", named: ".swift") {
            let comments = Self.comments(of: try Self.lines(of: file))
            let blocks = Self.blocks(of: comments)
            // A block of another language, or one that does not end, is none of these.
            #expect(comments.count { $0.contains("```") } == 2 * blocks.count, "\(file)")
            for block in blocks {
                let code = block.joined(separator: "\n")
                #expect(sources.hold(block), "\(file): no compiled file has this\n\(code)")
            }
            count += blocks.count
        }
        #expect(count >= 38)
    }

    @Test("A block that differs in a letter, a line or its indentation is detected")
    func sensitivity() throws {
        let page: [Substring] = [
            "- a list", "  ```Swift", "  a", "", "    b", "  ```", "```sh", "c", "```",
        ]
        #expect(Self.blocks(of: page) == [["a", "", "  b"]])
        var sources = Sources()
        sources.add(["x", "    a", "", "      b", "y"])
        #expect(sources.hold(["a", "", "  b"]))
        #expect(sources.hold(["x"]))
        let others: [[Substring]] = [
            ["a", "", "  c"], ["a", "", "b"], ["a", "  b"], ["y", "z"], [],
        ]
        for other in others { #expect(!sources.hold(other)) }
        let source: [Substring] = [
            "    /// ```swift", "    /// a", "    ///", "    ///     b", "c",
        ]
        #expect(Self.blocks(of: Self.comments(of: source)) == [["a", "", "    b", ""]])
    }
}
