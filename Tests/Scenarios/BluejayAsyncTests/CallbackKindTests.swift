import Foundation
import TestSupport
import Testing

/// The public declarations of the package that take closures or observers.
private struct Declarations {
    /// The kinds of callbacks: `GATTServer.onRead` for a property or an observer, `read.completion` for a call.
    private(set) var kinds: Set<String> = []
    /// The kept closures that neither know their isolation nor may run anywhere.
    private(set) var unprotected: Set<String> = []

    init() throws {
        for folder in ["Library", "Systems", "Engine/BluejayCore"] {
            let folder = repositoryFile("Sources/\(folder)").path
            for file in try FileManager.default.subpathsOfDirectory(atPath: folder) {
                guard file.hasSuffix(".swift") else { continue }
                try add(String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8))
            }
        }
    }

    private mutating func add(_ source: String) throws {
        var type = ""
        var isObserver = false
        var declaration = ""
        for line in source.split(separator: "\n") where !line.contains("///") {
            if line.hasPrefix("}") { isObserver = false }
            if let match = line.firstMatch(
                of: /^ *(?:public (?:final )?(?:class|struct|protocol|enum)|extension) (\w+)/
            ) {
                type = String(match.1)
                isObserver = line.contains("public protocol") && line.contains("AnyObject")
            }
            if isObserver, let match = line.firstMatch(of: /^ {4,8}func (\w+)/) {
                kinds.insert("\(type).\(match.1)")
            }
            if line.contains(/\b(func|init|var|struct|class|enum|protocol)\b/) { declaration = "" }
            declaration += line + "\n"
            if declaration.contains("public "), line.hasSuffix("{") {
                addClosures(of: declaration, in: type)
                declaration = ""
            }
        }
    }

    private mutating func addClosures(of declaration: String, in type: String) {
        let name = declaration.firstMatch(of: /(?:func|var) (\w+)/).map { String($0.1) }
        let isProperty = declaration.contains(/public var/)
        for match in declaration.matches(
            of: /(\w+): (sending )?(@escaping )?\(?(@[^(]*(?:\(any\))? ?)?\(/
        ) {
            let label = String(match.1)
            let kind = isProperty || name == nil ? "\(type).\(label)" : "\(name ?? "").\(label)"
            if match.4?.contains("@isolated(any)") == true {
                kinds.insert(kind)
            } else if match.3 != nil, match.2 == nil, match.4?.contains("@Sendable") != true {
                unprotected.insert(kind)
            }
        }
    }
}

@Suite("Kinds of callbacks", .timeLimit(.minutes(15)))
struct CallbackKindTests {
    @Test(
        "Each kind of callback runs in the isolation of its closure, on the main loop and on others"
    )
    func program() async throws {
        let (lines, status) = try await runProgram("callback-isolation", ["--count", "18000"])
        #expect(status == 0, "\(lines.filter { $0.hasPrefix("FAULT") })")
    }

    @Test("The program exercises every public callback or lists the reason for its absence")
    func complete() async throws {
        let (lines, _) = try await runProgram("callback-isolation", ["--kinds"])
        let declared = try Declarations().kinds
        #expect(declared.count > 60)
        #expect(declared.subtracting(lines) == [])
    }

    @Test("A stored public closure carries its isolation or may run on any thread")
    func protected() throws {
        // Called in the isolation of the handler that returns the action, and during the calls of a task.
        let others: Set = [
            "connect.completion", "listen.completion", "writeAndListen.completion",
            "writeAndAssemble.completion",
        ]
        #expect(try Declarations().unprotected.subtracting(others) == [])
    }
}
