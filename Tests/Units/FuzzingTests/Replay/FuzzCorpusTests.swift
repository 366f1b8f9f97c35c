import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("Inputs of the fuzzers")
struct FuzzCorpusTests {
    private static func corpus(of name: String) throws -> [(name: String, input: Data)] {
        let folder = repositoryFile("Tests/Programs/Fuzzing/Corpus/\(name)")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
            name in
            (name, try Data(contentsOf: folder.appending(path: name)))
        }
    }

    private static let names = Fuzzing.all.map(\.name)

    private func fuzzing(_ name: String) throws -> Fuzzing {
        try #require(Fuzzing.all.first { $0.name == name })
    }

    @Test("The guarantees hold for each input of a corpus", arguments: names)
    func inputs(_ name: String) throws {
        let fuzzing = try fuzzing(name)
        let corpus = try Self.corpus(of: name)
        #expect(corpus.count >= 10)
        for (name, input) in corpus {
            #expect(throws: Never.self, "\(name)") { try fuzzing.play(input) }
        }
    }

    @Test("The guarantees hold for 200 mutated inputs", .computing, arguments: names)
    func changedInputs(_ name: String) throws {
        let fuzzing = try fuzzing(name)
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        var random = SeededGenerator(seed: seed)
        let corpus = try Self.corpus(of: name).map(\.input).filter { !$0.isEmpty }
        for _ in 0..<200 {
            guard var input = corpus.randomElement(using: &random) else { return }
            for _ in 0...Int.random(in: 0...4, using: &random) {
                let index = Int.random(in: 0..<input.count, using: &random)
                switch random.next() % 3 {
                case 0: input[index] ^= 1 << (random.next() % 8)
                case 1: input.insert(UInt8(truncatingIfNeeded: random.next()), at: index)
                default: input += corpus.randomElement(using: &random)?.dropFirst() ?? Data()
                }
            }
            #expect(throws: Never.self, "seed \(seed)") { try fuzzing.play(input) }
        }
    }

    @Test("Each corpus belongs to a fuzzer")
    func corpora() throws {
        let folder = repositoryFile("Tests/Programs/Fuzzing/Corpus")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.sorted() == Self.names)
    }

    @Test("A fuzzer covers each type of the library that receives values")
    func receivableTypes() throws {
        let folder = repositoryFile("Sources")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var types: Set<String> = []
        for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            let pattern =
                #/(?m)^(?:public |package )?(?:extension|struct|enum) (\w+): [^{]*\b(?:Receivable|BluetoothInteger|StandardValue)\b/#
            types.formUnion(text.matches(of: pattern).map { String($0.1) })
        }
        let missing = types.subtracting(ValueFuzzing.types.map(\.name))
        #expect(missing == [])
        #expect(types.count > 30)
    }
}
