import Foundation
import TestSupport
import Testing

/// The modules of this build, as Swift's tools read them.
enum BuiltModules {
    private static let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()

    /// The arguments with which a tool finds the modules.
    private static func arguments() throws -> [String] {
        let maps = try FileManager.default.contentsOfDirectory(atPath: products.path)
            .filter { $0.hasPrefix("CBluejay") && $0.hasSuffix(".build") }
            .map { products.appending(path: "\($0)/module.modulemap").path }
        return [
            "-I", products.appending(path: "Modules").path,
            "-Xcc", "-I\(repositoryFile("Sources/Ports/CBluejay/include").path)",
            // SwiftPM names the folder after the target triple; Debian's compiler has its own name there.
            "-target", products.deletingLastPathComponent().lastPathComponent,
        ] + maps.sorted().flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }

    /// Calls `body` with a folder that is deleted afterwards.
    private static func withFolder<R>(_ body: (URL) async throws -> R) async throws -> R {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    private static func run(_ command: [String], errorsTo file: URL) async throws -> Int32 {
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = try command + arguments()
        process.standardError = try FileHandle(forWritingTo: file)
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
    }

    /// Returns the public symbols that a module declares, in its own types and in those of others.
    ///
    /// - Throws: An error if `swift symbolgraph-extract` does not start or fails.
    static func symbols(of module: String) async throws -> [PublicSymbol] {
        try await withFolder { folder in
            let errors = folder.appending(path: "errors")
            let command = [
                "swift", "symbolgraph-extract", "-module-name", module,
                "-output-dir", folder.path, "-minimum-access-level", "public",
                "-skip-synthesized-members",
            ]
            let status = try await run(command, errorsTo: errors)
            let text = try String(contentsOf: errors, encoding: .utf8)
            try #require(status == 0, "\(text)")
            return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
                .filter { $0.hasSuffix(".symbols.json") }
                .flatMap { try PublicSymbol.all(in: folder.appending(path: $0)) }
        }
    }

    /// Returns the errors and warnings of the compiler for each line of a file.
    ///
    /// - Parameters:
    ///   - files: The texts of the files by name.
    ///   - name: The name of the file with the lines.
    ///   - languageMode: The version of the language.
    /// - Returns: The texts by the number of the line.
    /// - Throws: An error if the compiler does not start, or reports something elsewhere.
    static func diagnostics(
        of files: [String: String],
        in name: String,
        languageMode: Int
    ) async throws -> [Int: [String]] {
        try await withFolder { folder in
            for (name, text) in files {
                let file = folder.appending(path: name)
                try text.write(to: file, atomically: true, encoding: .utf8)
            }
            let output = folder.appending(path: "errors")
            let command = [
                "swiftc", "-typecheck", "-swift-version", "\(languageMode)",
                "-diagnostic-style", "llvm",
            ]
            let paths = files.keys.sorted().map { folder.appending(path: $0).path }
            _ = try await run(command + paths, errorsTo: output)
            let pattern = #/^.*/(?<file>[^/]+):(?<line>\d+):\d+: (error|warning): (?<text>.*)$/#
            var diagnostics: [Int: [String]] = [:]
            for line in try String(contentsOf: output, encoding: .utf8).split(separator: "\n") {
                guard let match = line.wholeMatch(of: pattern) else { continue }
                try #require(match.file == name[...], "\(line)")
                diagnostics[Int(match.line) ?? 0, default: []].append(String(match.text))
            }
            return diagnostics
        }
    }
}

/// A public symbol, as `swift symbolgraph-extract` describes it.
struct PublicSymbol: Decodable {
    struct Kind: Decodable { let identifier: String }
    private struct Fragment: Decodable { let spelling: String }
    private struct Availability: Decodable { let isUnconditionallyDeprecated: Bool? }
    private struct File: Decodable { let symbols: [PublicSymbol] }

    /// The names of the types around it, and its own, such as `read(from:timeout:completion:)`.
    let pathComponents: [String]
    let kind: Kind
    private let declarationFragments: [Fragment]
    private let availability: [Availability]?

    /// The declaration on one line.
    var declaration: String {
        declarationFragments.map(\.spelling).joined().split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
    }

    /// The name without labels.
    var base: String { String((pathComponents.last ?? "").prefix { $0 != "(" }) }

    var isDeprecated: Bool {
        availability?.contains { $0.isUnconditionallyDeprecated == true } == true
    }

    var isSettable: Bool { declarationFragments.contains { $0.spelling == "set" } }

    static func all(in file: URL) throws -> [PublicSymbol] {
        try JSONDecoder().decode(File.self, from: Data(contentsOf: file)).symbols
    }
}
