import Foundation
import TestSupport
import Testing

/// A block of a page in another language than Swift; `PageTests` compiles the blocks of Swift.
struct ShownBlock: Sendable, CustomTestStringConvertible {
    let page: String
    let line: Int
    let language: String
    let lines: [String]

    var testDescription: String { "\(page):\(line)" }

    /// The block as one line: pages wrap lines of more than 100 characters.
    var joined: String { Self.squeezed(lines.joined(separator: " ")) }

    static func squeezed(_ text: some StringProtocol) -> String {
        text.split { $0.isWhitespace }.joined(separator: " ")
    }
}

/// A page of the repository.
struct Page: Sendable {
    let path: String
    let lines: [String]

    /// README, Documentation and the articles; build products are in folders with a leading dot.
    static let all: [Page] = {
        var paths = ["README.md"]
        for folder in ["Documentation", "Sources"] {
            let all = try? FileManager.default.subpathsOfDirectory(
                atPath: repositoryFile(folder).path
            )
            paths += (all ?? []).filter { $0.hasSuffix(".md") && !"/\($0)".contains("/.") }
                .sorted().map { "\(folder)/\($0)" }
        }
        return paths.compactMap { path in
            let text = try? String(contentsOf: repositoryFile(path), encoding: .utf8)
            return text.map { Page(path: path, lines: $0.components(separatedBy: "\n")) }
        }
    }()

    var blocks: [ShownBlock] {
        var blocks: [ShownBlock] = []
        var open: (line: Int, indent: Int, language: String, lines: [String])?
        for (number, line) in lines.enumerated() {
            let text = line.trimmingCharacters(in: .whitespaces)
            if let block = open, text == "```" || text == "~~~" {
                blocks.append(
                    ShownBlock(
                        page: path,
                        line: block.line,
                        language: block.language,
                        lines: block.lines
                    )
                )
                open = nil
            } else if let block = open {
                open?.lines.append(String(line.dropFirst(block.indent)))
            } else if text.hasPrefix("```") || text.hasPrefix("~~~") {
                let language = text.dropFirst(3).trimmingCharacters(in: .whitespaces).lowercased()
                open = (number + 1, line.prefix { $0 == " " }.count, language, [])
            }
        }
        return blocks
    }

    /// The rows of its tables, as cells, each with the first cell of the head of its table.
    var rows: [(head: String, cells: [String])] {
        var rows: [(head: String, cells: [String])] = []
        var head: String?
        for line in lines {
            guard line.hasPrefix("|") else {
                head = nil
                continue
            }
            let cells = line.split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard let found = head else {
                head = cells.first ?? ""
                continue
            }
            if line.contains("---") { continue }
            rows.append((found, cells))
        }
        return rows
    }
}
