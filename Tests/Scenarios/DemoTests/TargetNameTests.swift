import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("Target names", .timeLimit(.minutes(15)))
struct TargetNameTests {
    private struct Manifest: Decodable {
        struct Part: Decodable {
            let name: String
            let targets: [String]
        }

        struct Target: Decodable {
            let name: String
            let dependencies: [[String: [Name?]]]
        }

        /// A name, or `nil` for the conditions beside it.
        struct Name: Decodable {
            let text: String?

            init(from decoder: any Decoder) throws {
                text = try? decoder.singleValueContainer().decode(String.self)
            }
        }

        let products: [Part]
        let targets: [Target]
    }

    private static func manifest() throws -> Manifest {
        let top = repositoryFile("")
        let cache = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: cache) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "swift", "package", "--package-path", top.path, "--scratch-path", cache.path,
            "dump-package",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return try JSONDecoder().decode(Manifest.self, from: data)
    }

    // SwiftPM rejects a graph in which products need two targets with the same name.
    @Test("Each internal target of a product is prefixed with Bluejay or CBluejay", .computing)
    func reachable() throws {
        let manifest = try Self.manifest()
        let targets = Dictionary(uniqueKeysWithValues: manifest.targets.map { ($0.name, $0) })
        let products = Set(manifest.products.flatMap { [$0.name] + $0.targets })
        var waiting = manifest.products.flatMap(\.targets)
        var reached: Set<String> = []
        while let name = waiting.popLast() {
            guard let target = targets[name], reached.insert(name).inserted else { continue }
            waiting += target.dependencies.flatMap { $0.values.compactMap { $0.first??.text } }
        }
        #expect(reached.count > 15)
        let common = reached.subtracting(products).filter {
            !$0.hasPrefix("Bluejay") && !$0.hasPrefix("CBluejay")
        }
        #expect(common.sorted() == [])
    }
}
