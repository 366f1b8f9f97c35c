import Foundation
import TestSupport
import Testing

@Suite("Verbatim blocks of the document")
struct DocumentTests {
    private func document() throws -> [DocumentBlock] {
        let file = repositoryFile("Tests/Scenarios/DocumentationTests/Document/blocks.md")
        return try DocumentBlock.all(in: String(contentsOf: file, encoding: .utf8))
    }

    private func marked() throws -> [DocumentBlock] {
        try ["Scenarios/DocumentationTests", "Programs/DocumentationProgram"].flatMap { folder in
            let top = repositoryFile("Tests/\(folder)").path
            let files = try FileManager.default.subpathsOfDirectory(atPath: top)
            return try files.filter { $0.hasSuffix(".swift") }.flatMap { file in
                let text = try String(contentsOfFile: "\(top)/\(file)", encoding: .utf8)
                return DocumentBlock.marked(in: text)
            }
        }
    }

    @Test("The document has the blocks 2 to 36")
    func numbers() throws {
        #expect(try document().map(\.number) == Array(2...36))
    }

    @Test("Every block of the document is compiled verbatim")
    func verbatim() throws {
        let marked = try marked()
        for block in try document() {
            let own = marked.filter { $0.number == block.number }
            #expect(!own.isEmpty, "block \(block.number) is not compiled")
            for one in own { #expect(one.code == block.code, "block \(block.number)") }
        }
    }

    @Test("A changed block is detected, and a difference that does not apply is an error")
    func sensitivity() throws {
        let text = "## 4 start\n\n```swift\nlet a = 1\nlet b = 2\n```\n"
        let block = try #require(try DocumentBlock.all(in: text).first)
        let source = "    // document: 4\n    let a = 1\n    let b = 2\n    // end\n"
        #expect(DocumentBlock.marked(in: source) == [block])
        #expect(DocumentBlock.marked(in: source.replacing("2", with: "3")) != [block])
        let changed = try DocumentBlock.all(in: text + "```diff\n-let a = 1\n+let c = 1\n```\n")
        #expect(changed.map(\.code) == [["let c = 1", "let b = 2"]])
        #expect(throws: DocumentBlock.Malformed.self) {
            try DocumentBlock.all(in: text + "```diff\n-let d = 1\n```\n")
        }
    }
}
