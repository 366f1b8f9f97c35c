import Foundation
import TestSupport
import Testing

/// The API of the modules under test, extracted by `swift symbolgraph-extract`.
struct SymbolGraph {
    /// A public member of a class, such as `read(from:timeout:completion:)`.
    struct Member {
        let name: String
        let isSettable: Bool

        var base: String { name.prefix { $0 != "(" }.description }
    }

    private struct File: Decodable {
        struct Symbol: Decodable {
            struct Fragment: Decodable { let spelling: String }
            let pathComponents: [String]
            let declarationFragments: [Fragment]
        }
        let symbols: [Symbol]
    }

    let members: [Member]

    /// - Parameters:
    ///   - module: The module.
    ///   - file: The file name of the graph without its extension.
    /// - Throws: An error if the tool does not start or fails.
    init(_ module: String, file: String) async throws {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let products = tests.deletingLastPathComponent()
        let output = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: output) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "swift", "symbolgraph-extract", "-module-name", module,
            "-I", products.appending(path: "Modules").path,
            "-Xcc", "-fmodule-map-file=\(products.path)/CBluejay.build/module.modulemap",
            "-Xcc", "-I\(repositoryFile("Sources/Ports/CBluejay/include").path)",
            // SwiftPM names the folder after the target triple; Debian's compiler has its own name there.
            "-target", products.deletingLastPathComponent().lastPathComponent,
            "-output-dir", output.path, "-minimum-access-level", "public",
            "-skip-synthesized-members",
        ]
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        try #require(status == 0, "swift symbolgraph-extract -module-name \(module) failed")
        let data = try Data(contentsOf: output.appending(path: "\(file).symbols.json"))
        members = try JSONDecoder().decode(File.self, from: data).symbols.compactMap { symbol in
            guard symbol.pathComponents.count == 2, symbol.pathComponents[0] == "Bluejay" else {
                return nil
            }
            return Member(
                name: symbol.pathComponents[1],
                isSettable: symbol.declarationFragments.contains { $0.spelling == "set" }
            )
        }
    }
}

@Suite("Every call and every state from a task", .timeLimit(.minutes(15)))
struct AsyncWays {
    /// The reasons of the exceptions by name, from lines `NAME: REASON`.
    private static func exceptions() throws -> [String: String] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "WithoutAsyncWay.txt")
        var exceptions: [String: String] = [:]
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            guard !line.hasPrefix("#") else { continue }
            let parts = line.split(separator: ": ", maxSplits: 1)
            try #require(parts.count == 2, "no reason: \(line)")
            exceptions[String(parts[0])] = String(parts[1])
        }
        return exceptions
    }

    @Test("Every public member of Bluejay has a function to await, or a reason why not")
    func members() async throws {
        let client = try await SymbolGraph("Bluejay", file: "Bluejay").members
        let awaited = try await SymbolGraph("BluejayAsync", file: "BluejayAsync@Bluejay").members
        #expect(client.count > 40)
        let names = Set(awaited.map(\.base))
        let exceptions = try Self.exceptions()
        for member in client {
            let setter = "set" + member.base.prefix(1).uppercased() + member.base.dropFirst()
            let hasWay = member.isSettable ? names.contains(setter) : names.contains(member.base)
            if hasWay {
                #expect(exceptions[member.base] == nil, "\(member.base) has a way by now")
            } else {
                #expect(
                    exceptions[member.base] != nil,
                    "\(member.name) has no async way, and no line in WithoutAsyncWay.txt"
                )
            }
        }
        let known = Set(client.map(\.base))
        for name in exceptions.keys { #expect(known.contains(name), "\(name) is no member") }
    }
}
