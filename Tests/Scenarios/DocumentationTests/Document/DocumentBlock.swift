import Foundation

/// A block of `blocks.md`, as it must be on Linux.
struct DocumentBlock: Equatable {
    let number: Int
    let code: [String]

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    /// Reads all blocks in order and applies the differences for Linux.
    static func all(in text: String) throws -> [DocumentBlock] {
        var blocks: [DocumentBlock] = []
        var number: Int?
        var fence: (kind: String, lines: [String])?
        for line in text.components(separatedBy: "\n") {
            if let open = fence {
                guard line == "```" else {
                    fence?.lines.append(line)
                    continue
                }
                fence = nil
                guard let number else { throw Malformed(description: "a fence has no number") }
                if open.kind == "swift" {
                    blocks.append(DocumentBlock(number: number, code: open.lines))
                } else if let block = blocks.popLast(), block.number == number {
                    blocks.append(try block.applying(open.lines))
                }
            } else if line.hasPrefix("```") {
                fence = (String(line.dropFirst(3)), [])
            } else if line.hasPrefix("## ") {
                number = line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            }
        }
        return blocks
    }

    /// Replaces each `-` line, in order, with the `+` lines that follow it.
    private func applying(_ difference: [String]) throws -> DocumentBlock {
        var rest = code[...]
        var result: [String] = []
        for line in difference {
            let text = String(line.dropFirst())
            if line.hasPrefix("+") {
                result.append(text)
            } else if line.hasPrefix("-"), let place = rest.firstIndex(of: text) {
                result += rest[..<place]
                rest = rest[(place + 1)...]
            } else {
                throw Malformed(description: "block \(number) has no line “\(text)” left")
            }
        }
        return DocumentBlock(number: number, code: result + rest)
    }
}

extension DocumentBlock {
    /// The code between `// document: N` and `// end`, without the indentation of the marker.
    static func marked(in source: String) -> [DocumentBlock] {
        var blocks: [DocumentBlock] = []
        var open: (number: Int, indentation: String, code: [String])?
        for line in source.components(separatedBy: "\n") {
            let text = line.trimmingCharacters(in: .whitespaces)
            if let block = open {
                if text == "// end" {
                    blocks.append(DocumentBlock(number: block.number, code: block.code))
                    open = nil
                } else {
                    let isIndented = line.hasPrefix(block.indentation)
                    open?.code.append(
                        isIndented ? String(line.dropFirst(block.indentation.count)) : line
                    )
                }
            } else if text.hasPrefix("// document: "),
                let number = text.split(separator: " ").dropFirst(2).first.flatMap({ Int($0) })
            {
                open = (number, String(line.prefix { $0 == " " }), [])
            }
        }
        return blocks
    }
}
