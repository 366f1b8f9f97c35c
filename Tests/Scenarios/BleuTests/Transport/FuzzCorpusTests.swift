import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("Inputs of the fuzzer")
struct FuzzCorpusTests {
    private static func corpus() throws -> [(name: String, input: Data)] {
        let folder = repositoryFile("Tests/Programs/Fuzzing/Corpus")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
            name in
            (name, try Data(contentsOf: folder.appending(path: name)))
        }
    }

    @Test("The invariants of the transport hold for each input of the corpus")
    func inputs() throws {
        let corpus = try Self.corpus()
        #expect(corpus.count >= 10)
        for (name, input) in corpus {
            #expect(throws: Never.self, "\(name)") { try TransportFuzzing.play(input) }
        }
    }

    @Test("The invariants of the transport hold for 200 mutated inputs", .computing)
    func changedInputs() throws {
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        var random = SeededGenerator(seed: seed)
        let corpus = try Self.corpus().map(\.input).filter { !$0.isEmpty }
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
            #expect(throws: Never.self, "seed \(seed)") { try TransportFuzzing.play(input) }
        }
    }
}
